// @ts-check
// Words for the widgets: the texts of a language, which are loaded when a widget needs them, and dates, names and sentences in it.

/** @type {Record<string, () => Promise<{TEXTS: Texts}>>} */
const LANGUAGES = { en: () => import("./text.en.js"), de: () => import("./text.de.js"), nl: () => import("./text.nl.js") };

/** @type {Map<string, Texts>} */
const loaded = new Map();

/** The first of some languages that there are texts for. @param {...(string | null | undefined)} languages */
export function firstKnown(...languages) {
  return languages.map((language) => language?.toLowerCase().split("-")[0] ?? "").find((language) => Object.hasOwn(LANGUAGES, language)) ?? null;
}

/** The texts of a language, once they are loaded. @param {string} language */
export const texts = (language) => loaded.get(language) ?? null;

/** @param {string} language one that there are texts for */
export async function loadTexts(language) {
  loaded.set(language, (await LANGUAGES[language]()).TEXTS);
}

/** Where a deadline ends with the day, by the controller's country. @type {Record<string, string>} */
const ZONES = { AT: "Europe/Vienna", BE: "Europe/Brussels", DE: "Europe/Berlin", GB: "Europe/London", NL: "Europe/Amsterdam" };

/** A date in words; where the controller is, if its country is given, and else where the reader is. @param {Texts} t @param {string} time @param {string | null} [home] */
export function day(t, time, home) {
  return new Intl.DateTimeFormat(t.locale, { dateStyle: "long", timeZone: ZONES[home ?? ""] }).format(new Date(time));
}

/** A date with the time of day. @param {Texts} t @param {string} time */
export function moment(t, time) {
  return new Intl.DateTimeFormat(t.locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
}

/** @param {Texts} t @param {"region" | "language"} type @param {string | null} code */
function name(t, type, code) {
  try {
    return code ? new Intl.DisplayNames(t.locale, { type }).of(code) ?? code : "";
  } catch {
    return code ?? "";
  }
}

/** @param {Texts} t @param {string | null} code */
export const country = (t, code) => name(t, "region", code);

/** @param {Texts} t @param {string} code */
export const languageName = (t, code) => name(t, "language", code);

/** The text of a shared catalog in the widget's language. @param {Texts} t @param {Labels | undefined} labels @param {string} english */
export const label = (t, labels, english) => labels?.[t.language] ?? english;

/** An article of the law that holds where the controller is. @param {string} text @param {string | null} home */
export const law = (text, home) => (home === "GB" ? text.replace(/\bGDPR\b/, "UK GDPR") : text);

/** Why something was not saved: the rule's sentence, in the widget's language where it is known. @param {Texts} t @param {import("./core.js").Failure} failure */
export function failed(t, failure) {
  const { kind, sentence } = failure;
  if (!sentence) return t.failures[kind];
  // A rule about a purpose has its name in quotes.
  const name = /"([^"]*)"/.exec(sentence)?.[1];
  const text = t.rules[name === undefined ? sentence : sentence.replace(`"${name}"`, '"%"')]?.replace("%", () => name ?? "") ?? sentence;
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
