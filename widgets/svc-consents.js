// @ts-check
// The controller's purposes with their legal bases, and a switch for each that needs consent.

import { Failure } from "./core.js";
import { h } from "./dom.js";
import { Widget, define } from "./element.js";
import { country, day } from "./text.js";

/** @typedef {import("./core.js").Purpose} Purpose */
/** @typedef {import("./text.js").Texts} Texts */

class Consents extends Widget {
  lines = 9;

  /** @param {string} title @param {Purpose[]} purposes @param {boolean} agreed */
  async choose(title, purposes, agreed) {
    const { client, texts: t } = this;
    if (!client || purposes.length === 0) return;
    await client.setConsents(purposes.map(({ id }) => id), agreed);
    const outcome = client.outcomes.get(purposes[0].id);
    if (outcome instanceof Failure) this.announce(`${title}: ${t.failures[outcome.kind]}`);
    else this.announce(outcome === "unkept" ? `${title}: ${t.unkept}` : t.savedFor(title, agreed));
  }

  /** @type {Widget["view"]} */
  view(t, client, controller) {
    const asked = controller.purposes.filter((purpose) => purpose.consentRequired);
    const others = controller.purposes.filter((purpose) => !purpose.consentRequired);
    const all = (/** @type {boolean} */ agreed) =>
      this.choose(t.consents, asked.filter(({ id }) => client.agrees(id) !== agreed || !client.decidedAt(id)), agreed);
    return [
      h("header", { key: "head", class: "head" }, h("h2", { part: "heading" }, t.consents), h("p", { class: "muted" }, t.consentsMore)),
      asked.length > 1 && h("div", { key: "all", class: "row" },
        h("button", { type: "button", class: "button", part: "button", onclick: () => all(false) }, t.rejectAll),
        h("button", { type: "button", class: "button", part: "button", onclick: () => all(true) }, t.allowAll)),
      asked.length > 0
        ? h("ul", { key: "asked", class: "list", part: "list" }, asked.map((purpose) => this.#asked(t, client, purpose)))
        : h("p", { key: "none", class: "muted" }, t.noPurposes),
      others.length > 0 && h("section", { key: "others" },
        h("h3", null, t.always),
        h("p", { class: "muted" }, t.alwaysMore),
        h("ul", { class: "list", part: "list" }, others.map((purpose) =>
          h("li", { key: purpose.id, class: "item", part: "purpose" },
            h("div", { class: "title wrap" }, h("span", { class: "strong" }, purpose.title), h("span", { class: "badge" }, t.bases[purpose.legalBasis] ?? purpose.legalBasis)),
            h("p", null, purpose.description),
            details(t, purpose))))),
    ];
  }

  /** @param {Texts} t @param {import("./core.js").Client} client @param {Purpose} purpose */
  #asked(t, client, purpose) {
    const on = client.agrees(purpose.id);
    const outcome = client.outcomes.get(purpose.id);
    const decided = client.decidedAt(purpose.id);
    const state = () => {
      if (client.pending.has(purpose.id)) return h("p", { class: "state muted" }, t.saving);
      if (outcome instanceof Failure) return h("p", { class: "state bad" }, t.failures[outcome.kind]);
      if (outcome === "unkept") return h("p", { class: "state bad" }, t.unkept);
      if (outcome === "saved") return h("p", { class: "state good" }, t.saved);
      return h("p", { class: "state muted" }, decided ? t.since(day(t, decided)) : t.undecided);
    };
    const id = `purpose-${purpose.id}`;
    return h("li", { key: purpose.id, class: "item", part: "purpose" },
      h("div", { class: "title" },
        h("label", { class: "strong", for: id, id: `${id}-title` }, purpose.title),
        h("input", {
          id, type: "checkbox", role: "switch", class: "switch", part: "switch", checked: on, "aria-describedby": `${id}-text`,
          onchange: (/** @type {Event} */ event) => this.choose(purpose.title, [purpose], /** @type {HTMLInputElement} */ (event.target).checked),
        })),
      h("p", { id: `${id}-text` }, purpose.description),
      state(),
      details(t, purpose));
  }
}

/** @param {Texts} t @param {Purpose} purpose */
function details(t, purpose) {
  return h("details", null,
    h("summary", null, t.details, h("span", { class: "quiet" }, `: ${purpose.title}`)),
    h("dl", { class: "facts" },
      fact(t.legalBasis, [`${t.bases[purpose.legalBasis] ?? purpose.legalBasis} (${t.articles[purpose.legalBasis] ?? ""})`]),
      fact(t.dataUsed, purpose.dataItems.map((item) => item.label + (item.isRequired ? "" : ` (${t.optional})`))),
      fact(t.access, purpose.processors.length
        ? purpose.processors.map(({ processor }) => `${processor.title}, ${country(t, processor.country)}: ${processor.service}`)
        : [t.nobodyElse]),
      fact(t.kept, [purpose.retentionMonths ? t.months(purpose.retentionMonths) : t.keptWhile])));
}

/** @param {string} name @param {string[]} values */
function fact(name, values) {
  return h("div", null, h("dt", null, name), values.map((value) => h("dd", null, value)));
}

define("svc-consents", Consents);
