import type { JsonObject } from "./json.ts";
import { searchableTexts } from "./searchable.ts";
import { spaced } from "./words.ts";

/** UTF-16 units of one text that are searchable; a book has fewer. More would take more memory than there may be. */
const LONGEST_TEXT = 2 * 1024 * 1024;

/** Between two texts of one entry stands a word nobody types, so that no phrase spans them. */
export const BETWEEN_TEXTS = " \ue000 ";

/** What the full text is given of an entry; null when it says nothing. */
export function indexedText(entry: JsonObject): string | null {
  const texts = indexedTexts(entry);
  return texts.length === 0 ? null : texts.join(BETWEEN_TEXTS);
}

/** The same, before it is put together: for all there is that takes a twentieth of the time of reading it. */
export function indexedTexts(entry: JsonObject): string[] {
  return searchableTexts(entry).map((each) => spaced(each.slice(0, LONGEST_TEXT)));
}
