// @ts-check
// Who is responsible, what is done with data in a few figures, and how to reach the data protection officer.

import { h } from "./dom.js";
import { Widget, define } from "./element.js";
import { country } from "./text.js";

/** The notice in the widget's language, or else the newest. @param {import("./core.js").Controller} controller @param {string} language */
export function currentNotice(controller, language) {
  return controller.privacyNotices.find((notice) => notice.language === language) ?? controller.privacyNotices[0];
}

/** Whether a text is an address that may become a link. @param {string | null} text */
const isWeb = (text) => text !== null && /^https?:\/\/[^\s]+$/i.test(text);

class Overview extends Widget {
  lines = 5;

  /** @type {Widget["view"]} */
  view(t, client, controller) {
    const { purposes } = controller;
    const names = (/** @type {(purpose: import("./core.js").Purpose) => string[]} */ of) => new Set(purposes.flatMap(of)).size;
    const figures = [
      [purposes.length, t.purposes],
      [purposes.filter((purpose) => purpose.consentRequired).length, t.choices],
      [names((purpose) => purpose.dataItems.map((item) => item.label)), t.kinds],
      [names((purpose) => purpose.processors.map(({ processor }) => processor.title)), t.partners],
    ];
    const notice = currentNotice(controller, t.language);
    const town = [controller.postalCode, controller.city].filter(Boolean).join(" ");
    const place = [controller.address, town, country(t, controller.country)].filter(Boolean);
    const link = (/** @type {string} */ href, /** @type {string | null} */ text) => text && h("a", { href }, text);
    const officer = controller.dpoName || controller.dpoEmail || controller.dpoPhone;
    return [
      h("header", { key: "head", class: "head" },
        h("h2", { part: "heading" }, controller.title),
        controller.description && h("p", { class: "muted" }, controller.description)),
      h("dl", { key: "figures", class: "figures", part: "figures" }, figures.map(([count, label]) =>
        h("div", { class: "figure" }, h("dt", null, label), h("dd", null, count)))),
      notice && h("div", { key: "short", class: "quote" }, h("h3", null, t.inShort), h("p", null, notice.quickLook)),
      h("div", { key: "cards", class: "cards" },
        h("section", { class: "card", part: "card" },
          h("h3", null, t.responsible),
          h("address", null,
            h("span", { class: "strong" }, controller.title),
            place.map((line) => h("span", null, line)),
            isWeb(controller.website) && h("span", null, h("a", { href: controller.website, rel: "noopener noreferrer", target: "_blank" }, t.website)))),
        officer && h("section", { class: "card", part: "card officer" },
          h("h3", null, t.officer),
          h("address", null,
            controller.dpoName && h("span", { class: "strong" }, controller.dpoName),
            h("span", null, link(`mailto:${controller.dpoEmail}`, controller.dpoEmail)),
            h("span", null, link(`tel:${(controller.dpoPhone ?? "").replace(/[^+\d]/g, "")}`, controller.dpoPhone))))),
    ];
  }
}

define("svc-overview", Overview);
