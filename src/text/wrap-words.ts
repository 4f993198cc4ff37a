/**
 * Characters of one column each that join with no neighbour: letters of alphabets without the marks that some of them take
 * (Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Georgian), quotation marks and dashes, signs of currencies, arrows,
 * signs of mathematics, the characters of tables and bars.
 */
export const NARROW = [
  String.raw` -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u0482`,
  String.raw`\u048a-\u052f\u0531-\u0556\u0559-\u058a\u05be\u05d0-\u05ea\u061d-\u064a\u0660-\u066f\u0671-\u06d5`,
  String.raw`\u10a0-\u10c5\u10d0-\u10ff\u1e00-\u1eff\u2010-\u2027\u20a0-\u20c0\u2190-\u2193\u2200-\u22ff\u2500-\u259f`,
].join("");

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
