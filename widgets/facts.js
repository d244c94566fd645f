// @ts-check
// Facts about purposes, as entries of a list of terms.

import { h } from "./dom.js";
import { country, label, law } from "./text.js";

/** A term with its values. @param {string} name @param {Child[]} values */
export function fact(name, values) {
  return h("div", null, h("dt", null, name), values.filter(Boolean).map((value) => h("dd", null, value)));
}

/** The letters of the legal bases in Art. 6(1) GDPR. @type {Record<string, string>} */
const LETTERS = {
  consent: "a", contract: "b", legal_obligation: "c", vital_interests: "d", public_task: "e", legitimate_interests: "f",
};
/** The letters of the conditions in Art. 9(2) GDPR. @type {Record<string, string>} */
const CONDITIONS = {
  explicit_consent: "a", employment_law: "b", vital_interests: "c", nonprofit: "d", made_public: "e", legal_claims: "f", public_interest: "g",
  health_care: "h", public_health: "i", research: "j",
};

/** The legal basis of a purpose. @param {Texts} t @param {Purpose} purpose @param {string | null} home */
export function basis(t, { legalBasis }, home) {
  return `${t.bases[legalBasis] ?? legalBasis} (${law(t.article6(LETTERS[legalBasis] ?? ""), home)})`;
}

/** The condition under which data of a special category may be used. @param {Texts} t @param {string} name @param {string | null} home */
export function condition(t, name, home) {
  return `${t.conditions[name] ?? name} (${law(t.article9(CONDITIONS[name] ?? ""), home)})`;
}

/** Why data of a special category may be used, if a purpose has some. @param {Texts} t @param {Purpose} purpose @param {string | null} home */
export function special(t, purpose, home) {
  const items = purpose.dataItems.filter((item) => item.specialCategoryCondition !== null);
  return items.length > 0 && fact(t.special, items.map((item) => `${item.label}: ${condition(t, item.specialCategoryCondition ?? "", home)}`));
}

/** Who has access to the data of a purpose. @param {Texts} t @param {Purpose} purpose */
export function accessors(t, purpose) {
  if (purpose.processors.length === 0) return [t.nobodyElse];
  return purpose.processors.map(({ processor }) =>
    `${processor.title}, ${country(t, processor.country)}: ${label(t, processor.services, processor.service)} (${label(t, processor.safeguards, processor.safeguard)})`);
}
