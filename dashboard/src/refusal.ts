// What a refusal says to a person: by its code where the page knows it, by its kind otherwise.

import type { Refusal } from "./gateway";
import { t } from "./text";

export function refusalText(refusal: Refusal): string {
  const texts = t.refusals;
  const byCode = texts.codes[refusal.code];
  if (byCode) return byCode;
  if (refusal.kind === "rate") return refusal.retryAfter > 0 ? `${texts.rate} ${texts.wait(refusal.retryAfter)}` : texts.rate;
  if (refusal.kind === "refused") {
    const rule = texts.rules.find(([pattern]) => pattern.test(refusal.message));
    // A sentence of a rule that this page does not know is in English, and still better than none.
    return rule ? rule[1] : `${texts.refused} ${refusal.message}`.trim();
  }
  return texts[refusal.kind];
}
