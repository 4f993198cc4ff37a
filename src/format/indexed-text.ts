import type { JsonObject } from "./json.ts";
import { searchableTexts } from "./searchable.ts";
import { spaced } from "./words.ts";

/** How much of one text is searchable, in UTF-16 units: more than a book has. Beyond that, memory might not suffice. */
export const LONGEST_TEXT = 2 * 1024 * 1024;

/** Stands between two texts of one entry: a word that nobody types, so that no phrase spans both. */
export const BETWEEN_TEXTS = " \ue000 ";

/** What the full text is given of an entry; null when it says nothing. */
export function indexedText(entry: JsonObject): string | null {
  const texts = indexedTexts(entry);
  return texts.length === 0 ? null : texts.join(BETWEEN_TEXTS);
}

/** The same as a list. */
function indexedTexts(entry: JsonObject): string[] {
  return textsToIndex(entry).map(spaced);
}

/** The same before they are respelt: whoever cuts them into words does both at once. */
export function textsToIndex(entry: JsonObject): string[] {
  return searchableTexts(entry).map((each) => each.slice(0, LONGEST_TEXT));
}
