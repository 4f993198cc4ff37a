/**
 * How much of one text the index takes in, in UTF-16 units. Of a text that is longer than a book only a beginning is kept,
 * because memory might not suffice for all of it.
 */
export const LONGEST_TEXT = 2 * 1024 * 1024;

/** What the index keeps of a text. */
export function keptOf(text: string): string {
  return text.length <= LONGEST_TEXT ? text : text.slice(0, LONGEST_TEXT).toWellFormed();
}
