// Dates and numbers as the language writes them.

import { language, t } from "./text";

const LOCALES = { en: "en-GB", de: "de-DE", nl: "nl-NL" };
const DAY = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function format(name: string, options: Intl.DateTimeFormatOptions) {
  const key = `${language} ${name}`;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(LOCALES[language], options));
  return formats.get(key)!;
}

/** `14 Mar 2026`. */
export function date(time: string | null | undefined): string {
  return time ? format("date", { day: "numeric", month: "short", year: "numeric" }).format(new Date(time)) : t.none;
}

/** `14 Mar 2026, 09:30`. */
export function dateTime(time: string | null | undefined): string {
  return time ? format("time", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" }).format(new Date(time)) : t.none;
}

/** `Mar 26`. */
export const month = (time: string) => format("month", { month: "short", year: "2-digit", timeZone: "UTC" }).format(new Date(time));

/** `14/03`. */
export const day = (time: string) => format("day", { day: "2-digit", month: "2-digit", timeZone: "UTC" }).format(new Date(time));

export const number = (value: number) => new Intl.NumberFormat(LOCALES[language]).format(value);

/** Whole days from today to a time, by the calendar of this device; negative for what is over. */
export function daysUntil(time: string, now = new Date()): number {
  const start = (value: Date) => Date.UTC(value.getFullYear(), value.getMonth(), value.getDate());
  return Math.round((start(new Date(time)) - start(now)) / DAY);
}

/** How a country is called. */
export function country(code: string | null): string {
  if (!code) return t.none;
  try {
    return new Intl.DisplayNames([LOCALES[language]], { type: "region" }).of(code) ?? code;
  } catch {
    return code;
  }
}
