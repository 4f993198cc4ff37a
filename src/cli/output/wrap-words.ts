import { NARROW } from "./narrow.ts";

const MAYBE_WIDE = new RegExp(`[^${NARROW}]`, "g");

/**
 * The program's own sentences on lines of `width` columns. A longer word, such as a path to be copied, is not broken.
 */
export function wrapWords(text: string, width: number | undefined): string[] {
  if (width === undefined) return [text];
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || mostColumns(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** The most columns a text may take, which is what it takes in nearly all sentences: `widthOf` takes long to load. */
function mostColumns(text: string): number {
  return text.length + (text.match(MAYBE_WIDE)?.length ?? 0);
}
