import { type Html, html, NOTHING } from "./html-text.ts";

export type Direction = "ltr" | "rtl";

const LETTER = /\p{L}/u;
/** Where Unicode has its scripts that are written from right to left, and the presentation forms of their letters. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Which way a text is written, as its first letter says; null where it has none. */
export function directionOf(text: string): Direction | null {
  const [letter] = LETTER.exec(text) ?? [];
  if (letter === undefined) return null;
  return RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
}

/** The attribute of an element with this text, unless it is written from left to right, as the page is. */
export function directed(text: string): Html {
  return directionOf(text) === "rtl" ? html` dir="rtl"` : NOTHING;
}
