// Characters that are not seen and change what is: controls of the reading direction, which can turn a text around, escape and other
// control characters, and characters without a width. Wherever data is shown, they are shown as their code points.

import { Fragment } from "react";

const UNSEEN =
  /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu;

const codePoint = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

/** The text with the code points of characters that are not seen: `U+202E`. For attributes and options, which have no marks. */
export const visible = (text: string) => text.replace(UNSEEN, codePoint);

/** A text in which characters that are not seen are marked code points. */
export function Visible({ text }: { text: string }) {
  if (text.search(UNSEEN) < 0) return text;
  const unseen = text.match(UNSEEN) ?? [];
  return text.split(UNSEEN).map((seen, index) => (
    <Fragment key={index}>{index > 0 && <span className="unseen">{codePoint(unseen[index - 1]!)}</span>}{seen}</Fragment>
  ));
}
