// @ts-check
// The map of a person's data: by category, what it is used for and who has access.

import { h } from "./dom.js";
import { Widget, define, icon } from "./element.js";

/** @typedef {import("./core.js").Mapping} Mapping */

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
  view(t, client) {
    /** @type {Map<string, Map<string, Mapping[]>>} */
    const categories = new Map();
    for (const row of client.mapping) {
      const items = categories.get(row.dataCategory) ?? new Map();
      items.set(row.dataItemLabel, [...(items.get(row.dataItemLabel) ?? []), row]);
      categories.set(row.dataCategory, items);
    }
    const rank = Object.keys(ICONS);
    const sorted = [...categories].sort(([one], [other]) => rank.indexOf(one) - rank.indexOf(other));
    return [
      h("header", { key: "head", class: "head" }, h("h2", { part: "heading" }, t.map), h("p", { class: "muted" }, client.isKnown ? t.mapMore : t.mapVisitor)),
      sorted.length === 0
        ? h("p", { key: "none", class: "muted" }, t.mapEmpty)
        : h("div", { key: "map", class: "map", part: "map" }, sorted.map(([category, items]) =>
          h("section", { key: category, class: "card category", part: "category" },
            h("h3", null, icon(ICONS[category] ?? ICONS.contract), h("span", null, t.categories[category] ?? category), h("span", { class: "count", "aria-hidden": "true" }, items.size)),
            h("ul", null, [...items].map(([label, rows]) => this.#item(t, label, rows)))))),
    ];
  }

  /** @param {import("./text.js").Texts} t @param {string} label @param {Mapping[]} rows */
  #item(t, label, rows) {
    const unique = (/** @type {string[]} */ values) => [...new Set(values)];
    const processors = unique(rows.flatMap((row) => row.processors));
    const months = rows.map((row) => row.retentionMonths);
    const longest = months.includes(null) ? null : Math.max(...months.map(Number));
    return h("li", { key: label }, h("details", { part: "data-item" },
      h("summary", null, label, rows.some((row) => row.isSpecial) && h("span", { class: "badge special" }, t.special)),
      h("dl", { class: "facts" },
        h("div", null, h("dt", null, t.usedFor), rows.map((row) => h("dd", null, `${row.purposeTitle} (${t.bases[row.legalBasis] ?? row.legalBasis})`))),
        h("div", null, h("dt", null, t.access), (processors.length ? processors : [t.nobodyElse]).map((name) => h("dd", null, name))),
        h("div", null, h("dt", null, t.kept), h("dd", null, longest ? t.months(longest) : t.keptWhile)))));
  }
}

define("svc-data-map", DataMap);
