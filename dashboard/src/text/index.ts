// The page's language. `t` has its texts; the page renders anew when the language changes.

import type { Text } from "./en";

export const LANGUAGES = ["en", "de", "nl"] as const;
export type Language = (typeof LANGUAGES)[number];

const KEPT = "dashboard.language";
const DICTIONARIES: Record<Language, () => Promise<{ default: Text }>> = {
  en: () => import("./en"),
  de: () => import("./de"),
  nl: () => import("./nl"),
};

export let t: Text;
export let language: Language = "en";

const isLanguage = (text: string | null | undefined): text is Language => LANGUAGES.includes(text as Language);

/** The language that was chosen here, or else the first of the browser's that there is. */
export function preferredLanguage(): Language {
  const kept = localStorage.getItem(KEPT);
  if (isLanguage(kept)) return kept;
  return navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";
}

/** Whether a language was chosen here. */
export const hasChosenLanguage = () => isLanguage(localStorage.getItem(KEPT));

export async function setLanguage(next: Language, isChoice = false): Promise<void> {
  t = (await DICTIONARIES[next]()).default;
  language = next;
  document.documentElement.lang = next;
  if (isChoice) localStorage.setItem(KEPT, next);
}

/** A label of the service, which it has in several languages. */
export function labelOf(labels: unknown, fallback: string): string {
  const text = typeof labels === "object" && labels !== null ? (labels as Record<string, unknown>)[language] : undefined;
  return typeof text === "string" ? text : fallback;
}
