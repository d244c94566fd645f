// @ts-check
// Who is responsible, what is done with data in a few figures, and how to reach the data protection officer.

import { h } from "./dom.js";
import { Widget, define } from "./element.js";
import { country } from "./text.js";

/** The notice in the widget's language, or else the newest. @param {Controller} controller @param {string} language */
export function currentNotice(controller, language) {
  return controller.privacyNotices.find((notice) => notice.language === language) ?? controller.privacyNotices[0];
}

/** Countries that write the postal code on the line below the town, or behind it; the others write it before. */
const CODE_BELOW = new Set(["GB", "IE"]);
const CODE_BEHIND = new Set(["US", "CA", "AU", "NZ"]);

/** The lines of a postal address as its country writes it. @param {Texts} t @param {Controller} controller */
function addressLines(t, { address, postalCode, city, country: code }) {
  const home = code ?? "";
  const town = CODE_BELOW.has(home) ? [city, postalCode] : [(CODE_BEHIND.has(home) ? [city, postalCode] : [postalCode, city]).filter(Boolean).join(" ")];
  return [address, ...town, country(t, code)].filter(Boolean);
}

/** Whether a text is an address that may become a link. @param {string | null} text */
const isWeb = (text) => text !== null && /^https?:\/\/[^\s]+$/i.test(text);

class Overview extends Widget {
  lines = 5;

  /** @type {Widget["view"]} */
  view(t, client, controller) {
    const { purposes } = controller;
    const names = (/** @type {(purpose: Purpose) => string[]} */ of) => new Set(purposes.flatMap(of)).size;
    /** @type {[number, (count: number) => string][]} */
    const figures = [
      [purposes.length, t.purposes],
      [purposes.filter((purpose) => purpose.consentRequired).length, t.choices],
      [names((purpose) => purpose.dataItems.map((item) => item.label)), t.kinds],
      [names((purpose) => purpose.processors.map(({ processor }) => processor.title)), t.partners],
    ];
    const notice = currentNotice(controller, t.language);
    const lang = controller.language;
    const link = (/** @type {string} */ href, /** @type {string | null} */ text) => text && h("a", { href }, text);
    const officer = controller.dpoName || controller.dpoEmail || controller.dpoPhone;
    return [
      h("header", { key: "head", class: "head" },
        h("h2", { part: "heading", tabindex: "-1" }, controller.title),
        controller.description && h("p", { class: "muted", lang }, controller.description)),
      h("dl", { key: "figures", class: "figures", part: "figures" }, figures.map(([count, words]) =>
        h("div", { class: "figure" }, h("dt", null, words(count)), h("dd", null, count)))),
      notice && h("div", { key: "short", class: "quote" }, h("h3", null, t.inShort), h("p", { lang: notice.language }, notice.quickLook)),
      h("div", { key: "cards", class: "cards" },
        h("section", { class: "card", part: "card" },
          h("h3", null, t.responsible),
          h("address", null,
            h("span", { class: "strong" }, controller.title),
            addressLines(t, controller).map((line) => h("span", null, line)),
            isWeb(controller.website) && h("span", null, h("a", { href: controller.website, rel: "noopener noreferrer", target: "_blank" }, t.website)))),
        officer && h("section", { class: "card", part: "card officer" },
          h("h3", null, t.officer),
          h("address", null,
            controller.dpoName && h("span", { class: "strong" }, controller.dpoName),
            h("span", null, link(`mailto:${controller.dpoEmail}`, controller.dpoEmail)),
            h("span", null, link(`tel:${(controller.dpoPhone ?? "").replace(/[^+\d]/g, "")}`, controller.dpoPhone))),
          client.settings.supervisoryAuthority && h("p", { class: "small muted" }, t.complaints, " ", h("span", { lang }, client.settings.supervisoryAuthority)))),
    ];
  }
}

define("svc-overview", Overview);
