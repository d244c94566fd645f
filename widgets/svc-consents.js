// @ts-check
// The controller's purposes with their legal bases; a switch for each that needs consent, and how the answer came about.

import { Failure, asFailure } from "./core.js";
import { h } from "./dom.js";
import { Widget, define } from "./element.js";
import { accessors, basis, fact, special } from "./facts.js";
import { day, failed, moment } from "./text.js";

class Consents extends Widget {
  lines = 9;

  /** @param {string} title @param {Purpose[]} purposes @param {boolean} agreed */
  async choose(title, purposes, agreed) {
    const { client, texts: t } = this;
    if (!client?.controller || purposes.length === 0) return;
    await client.setConsents(purposes.map(({ id }) => id), agreed);
    const outcome = client.outcomes.get(purposes[0].id);
    const missing = purposes.length === 1 && agreed ? missingData(client, purposes[0]) : [];
    if (outcome instanceof Failure) this.announce(`${title}: ${failed(t, outcome)}`);
    else if (outcome === "unkept") this.announce(`${title}: ${t.unkept}`);
    else this.announce(missing.length > 0 && client.controller ? `${title}: ${t.needsContact(client.controller.title, missing.join(", "))}` : t.savedFor(title, agreed));
  }

  /** @type {Widget["view"]} */
  view(t, client, controller) {
    const asked = controller.purposes.filter((purpose) => purpose.consentRequired);
    const others = controller.purposes.filter((purpose) => !purpose.consentRequired);
    const blocked = asked.filter((purpose) => client.isBlocked(purpose));
    const isDue = (/** @type {Purpose} */ { id }, /** @type {boolean} */ agreed) => client.agrees(id) !== agreed || !client.consent(id);
    const all = (/** @type {boolean} */ agreed) =>
      this.choose(t.consents, asked.filter((purpose) => isDue(purpose, agreed) && !(agreed && blocked.includes(purpose))), agreed);
    const isClosed = client.trouble !== null;
    const signal = blocked.length > 0 ? client.signal : client.signal === "browser" && client.honoursSignal === false && asked.length > 0 ? "ignored" : null;
    return [
      h("header", { key: "head", class: "head" }, h("h2", { part: "heading" }, t.consents), h("p", { class: "muted" }, t.consentsMore)),
      signal && h("div", { key: "signal", class: "note", part: "note" }, h("p", null, t.signal[signal](controller.title)),
        signal === "person" && h("button", { type: "button", class: "button", part: "button", onclick: () => client.undoSignal().catch((error) => this.announce(failed(t, asFailure(error)))) }, t.undoSignal)),
      asked.length > 1 && h("div", { key: "all", class: "row" },
        h("button", { type: "button", class: "button", part: "button", disabled: isClosed, onclick: () => all(false) }, t.rejectAll),
        h("button", { type: "button", class: "button", part: "button", disabled: isClosed, onclick: () => all(true) }, t.allowAll)),
      asked.length > 0
        ? h("ul", { key: "asked", class: "list", part: "list" }, asked.map((purpose) => this.#asked(t, client, controller, purpose)))
        : h("p", { key: "none", class: "muted" }, t.noPurposes),
      others.length > 0 && h("section", { key: "others" },
        h("h3", null, t.always),
        h("p", { class: "muted" }, t.alwaysMore),
        h("ul", { class: "list", part: "list" }, others.map((purpose) =>
          h("li", { key: purpose.id, id: `item-${purpose.id}`, tabindex: "-1", class: "item", part: "purpose", lang: controller.language },
            h("div", { class: "title wrap" }, h("span", { class: "strong" }, purpose.title), h("span", { class: "badge", lang: t.language }, t.bases[purpose.legalBasis] ?? purpose.legalBasis)),
            h("p", null, purpose.description),
            details(t, controller, purpose))))),
    ];
  }

  /** @param {Texts} t @param {Client} client @param {Controller} controller @param {Purpose} purpose */
  #asked(t, client, controller, purpose) {
    const isBlocked = client.isBlocked(purpose);
    const on = !isBlocked && client.agrees(purpose.id);
    const outcome = client.outcomes.get(purpose.id);
    const missing = on ? missingData(client, purpose) : [];
    const state = () => {
      if (client.trouble) return null;
      if (client.pending.has(purpose.id)) return ["muted", t.saving];
      if (outcome instanceof Failure) return ["bad", failed(t, outcome)];
      if (outcome === "unkept") return ["bad", t.unkept];
      if (missing.length > 0) return [outcome === "saved" ? "good" : "muted", t.needsContact(controller.title, missing.join(", "))];
      if (outcome === "saved") return ["good", t.saved];
      return ["muted", isBlocked ? t.blocked : evidence(t, client, purpose) ?? t.undecided];
    };
    const [tone, text] = state() ?? ["muted", ""];
    const id = `purpose-${purpose.id}`;
    return h("li", { key: purpose.id, id: `item-${purpose.id}`, tabindex: "-1", class: "item", part: "purpose", lang: controller.language },
      h("div", { class: "title" },
        h("label", { class: "strong", for: id, id: `${id}-title` }, purpose.title),
        h("input", {
          id, type: "checkbox", role: "switch", class: "switch", part: "switch", checked: on, disabled: isBlocked || client.trouble !== null, "aria-describedby": `${id}-text ${id}-state`,
          onchange: (/** @type {Event} */ event) => this.choose(purpose.title, [purpose], /** @type {HTMLInputElement} */ (event.target).checked),
        })),
      h("p", { id: `${id}-text` }, purpose.description),
      h("p", { id: `${id}-state`, class: `state ${tone}`, lang: t.language }, text),
      details(t, controller, purpose, client));
  }
}

/** The data that a purpose needs to reach a person and that is not known. @param {Client} client @param {Purpose} purpose */
function missingData(client, purpose) {
  if (client.isIdentified && client.own?.person?.email) return [];
  return purpose.dataItems.filter(({ category, isRequired }) => category === "contact" && isRequired).map((item) => item.label);
}

/** How the present answer came about: who gave it, when and where. @param {Texts} t @param {Client} client @param {Purpose} purpose */
function evidence(t, client, purpose) {
  const consent = client.consent(purpose.id);
  if (!consent) return null;
  const wasGiven = client.own?.history.some((former) => former.dataSubjectConsentFormValueId === consent.id && former.value === "true");
  const state = consent.value === "true" ? 0 : wasGiven ? 2 : 1;
  const date = day(t, consent.updatedAt);
  const noted = t.noted[consent.givenBy];
  const answer = noted ? `${noted(date)}: ${t.stands[state]}` : t.answered[state](date);
  const sentence = consent.givenBy === "browser_signal" ? t.signalled(date) : answer;
  const place = t.places[consent.form ?? ""];
  return `${sentence}${place ? `, ${place}` : ""}.`;
}

/** @param {Texts} t @param {Controller} controller @param {Purpose} purpose @param {Client} [client] */
function details(t, controller, purpose, client) {
  const consent = client?.consent(purpose.id);
  const former = client?.own?.history.filter(({ dataSubjectConsentFormValueId: id }) => id === consent?.id) ?? [];
  const { language: lang, country: home } = controller;
  const answer = client && evidence(t, client, purpose);
  return h("details", { lang: t.language },
    h("summary", null, t.details, h("span", { class: "quiet", lang }, `: ${purpose.title}`)),
    h("dl", { class: "facts" },
      fact(t.legalBasis, [basis(t, purpose, home)]),
      fact(t.dataUsed, purpose.dataItems.map((item) => [h("span", { lang }, item.label), !item.isRequired && ` (${t.optional})`])),
      special(t, purpose, home),
      fact(t.access, accessors(t, purpose)),
      fact(t.kept, [purpose.retentionMonths ? t.months(purpose.retentionMonths) : t.keptWhile]),
      consent && answer && fact(t.answer, [answer, consent.purposeVersion && t.wordingVersion(consent.purposeVersion)]),
      former.length > 0 && fact(t.earlier, former.map(({ value, validFrom, replacedAt }) => t.former(value === "true", moment(t, validFrom), moment(t, replacedAt))))));
}

define("svc-consents", Consents);
