// @ts-check
// The map of a person's data: what is recorded, with its origin, and apart from it what the controller's purposes may use.

import { h } from "./dom.js";
import { Widget, define, icon } from "./element.js";
import { accessors, basis, condition, fact, special } from "./facts.js";
import { day, label } from "./text.js";

/** @type {Record<string, string>} */
const ICONS = {
  identity: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8c0-3.5 3-6 7-6s7 2.5 7 6",
  contact: "M3 6h18v12H3Zm0 1 9 6 9-6",
  contract: "M6 3h9l4 4v14H6Zm3 8h7M9 15h7",
  payment: "M3 6h18v12H3Zm0 4h18M6 15h4",
  usage: "M4 20V10m5 10V4m5 16v-7m5 7V8",
  location: "M12 21s7-6 7-11a7 7 0 0 0-14 0c0 5 7 11 7 11Zm0-8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  preference: "M12 20s-8-5-8-11a4.5 4.5 0 0 1 8-2.5A4.5 4.5 0 0 1 20 9c0 6-8 11-8 11Z",
  health: "M12 5v14M5 12h14",
};

class DataMap extends Widget {
  lines = 8;

  /** @type {Widget["view"]} */
  view(t, client, controller) {
    return [
      h("header", { key: "head", class: "head" }, h("h2", { part: "heading" }, t.map)),
      !client.trouble && h("section", { key: "recorded", part: "recorded" }, h("h3", null, t.recorded), this.#recorded(t, client, controller)),
      h("section", { key: "possible", part: "possible" },
        h("h3", null, t.possible),
        h("p", { class: "muted" }, t.possibleMore(controller.title)),
        h("div", { class: "map" }, controller.purposes.map((purpose) => this.#purpose(t, client, controller, purpose)))),
    ];
  }

  /** What is recorded of the person, by category. @param {Texts} t @param {Client} client @param {Controller} controller */
  #recorded(t, client, controller) {
    const rows = client.own?.mapping ?? [];
    if (rows.length === 0) return h("p", { class: "muted" }, client.isIdentified ? t.nothing : t.nothingVisitor);
    /** @type {Map<string, Map<string, Mapping[]>>} */
    const categories = new Map();
    for (const row of rows) {
      const items = categories.get(row.dataCategory) ?? new Map();
      const name = label(t, row.dataItemLabels, row.dataItemLabel);
      items.set(name, [...(items.get(name) ?? []), row]);
      categories.set(row.dataCategory, items);
    }
    const rank = Object.keys(ICONS);
    const sorted = [...categories].sort(([one], [other]) => rank.indexOf(one) - rank.indexOf(other));
    return [
      h("p", { class: "muted" }, client.isIdentified ? t.recordedMore : t.recordedVisitor),
      h("div", { class: "map", part: "map" }, sorted.map(([category, items]) =>
        h("section", { key: category, class: "card category", part: "category" },
          h("h4", null, icon(ICONS[category] ?? ICONS.contract), h("span", null, t.categories[category] ?? category), h("span", { class: "count", "aria-hidden": "true" }, items.size)),
          h("ul", null, [...items].map(([name, rows]) => this.#item(t, controller, name, rows)))))),
    ];
  }

  /** @param {Texts} t @param {Controller} controller @param {string} name @param {Mapping[]} rows */
  #item(t, controller, name, rows) {
    const unique = (/** @type {(string | null | undefined)[]} */ values) => [...new Set(values)].filter((value) => value !== null && value !== undefined);
    const origins = unique(rows.map((row) => row.origin === "activity" && row.originLabel ? label(t, row.originLabels, row.originLabel) : t.origins[row.origin] ?? row.origin));
    const used = rows.filter((row) => row.purposeTitle !== null);
    const purposes = unique(used.map((row) => `${row.purposeTitle} (${t.bases[row.legalBasis ?? ""] ?? row.legalBasis})`));
    const processors = unique(used.flatMap((row) => row.processors ?? []));
    const months = used.map((row) => row.retentionMonths);
    const longest = months.includes(null) ? null : Math.max(...months.map(Number));
    const last = unique(rows.map((row) => row.recordedAt)).sort().at(-1);
    const served = controller.purposes.filter(({ title }) => used.some((row) => row.isSpecial && row.purposeTitle === title));
    const conditions = unique(served.flatMap((purpose) => purpose.dataItems.map((item) => item.specialCategoryCondition)));
    return h("li", { key: name }, h("details", { part: "data-item" },
      h("summary", null, name),
      h("dl", { class: "facts" },
        origins.length > 0 && fact(t.origin, origins),
        last && fact(t.recordedAt, [day(t, last)]),
        fact(t.usedFor, purposes.length > 0 ? purposes : [t.noPurpose]),
        conditions.length > 0 && fact(t.special, conditions.map((name) => condition(t, name, controller.country))),
        purposes.length > 0 && fact(t.access, processors.length > 0 ? processors : [t.nobodyElse]),
        purposes.length > 0 && fact(t.kept, [longest ? t.months(longest) : t.keptWhile]))));
  }

  /** What a purpose may use. @param {Texts} t @param {Client} client @param {Controller} controller @param {Purpose} purpose */
  #purpose(t, client, controller, purpose) {
    const { language: lang, country: home } = controller;
    const agreed = purpose.consentRequired && !client.isBlocked(purpose) && client.agrees(purpose.id);
    return h("section", { key: purpose.id, class: "card category", part: "category" },
      h("h4", { lang }, purpose.title),
      h("p", { class: "small muted" }, basis(t, purpose, home),
        purpose.consentRequired && `, ${agreed ? t.agreedTo : t.onlyWithConsent}`),
      h("ul", { lang }, purpose.dataItems.map((item) => h("li", { key: item.label, part: "data-item" }, item.label,
        !item.isRequired && h("span", { class: "muted", lang: t.language }, ` (${t.optional})`)))),
      h("details", null, h("summary", null, t.details, h("span", { class: "quiet", lang }, `: ${purpose.title}`)), h("dl", { class: "facts" },
        special(t, purpose, home),
        fact(t.access, accessors(t, purpose)),
        fact(t.kept, [purpose.retentionMonths ? t.months(purpose.retentionMonths) : t.keptWhile]))));
  }
}

define("svc-data-map", DataMap);
