import type { JsonObject } from "./json.ts";
import { searchableTexts } from "./searchable.ts";
import { spaced } from "./words.ts";

/** Stands between two texts of one entry: a word that nobody types, so that no phrase spans both. */
export const BETWEEN_TEXTS = " \ue000 ";

/** The text of an entry that goes into the full text; null when it has none. */
export function indexedText(entry: JsonObject): string | null {
  return joinedTexts(searchableTexts(entry));
}

/** The same from its texts. */
export function joinedTexts(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.map(spaced).join(BETWEEN_TEXTS);
}
