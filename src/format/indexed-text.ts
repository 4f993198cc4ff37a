import type { JsonObject } from "./json.ts";
import { searchableTexts } from "./searchable.ts";
import { spaced } from "./words.ts";

/** How much of one text is searchable, in UTF-16 units: more than a book has. Beyond that, memory might not suffice. */
export const LONGEST_TEXT = 2 * 1024 * 1024;

/** Stands between two texts of one entry: a word that nobody types, so that no phrase spans both. */
export const BETWEEN_TEXTS = " \ue000 ";

/** The text of an entry that goes into the full text; null when it has none. */
export function indexedText(entry: JsonObject): string | null {
  return joinedTexts(searchableTexts(entry));
}

/** The same from its texts. */
export function joinedTexts(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.map((text) => spaced(cut(text))).join(BETWEEN_TEXTS);
}

/** The texts of an entry, not yet respelt by `spaced`: that can be done while they are cut into words. */
export function textsToIndex(entry: JsonObject): string[] {
  return searchableTexts(entry).map(cut);
}

function cut(text: string): string {
  return text.slice(0, LONGEST_TEXT);
}
