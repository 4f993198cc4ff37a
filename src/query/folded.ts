/** A text without case and diacritics, as the full-text index sees it. */
export interface Folded {
  text: string;
  /** The place in the original of a place in `text`. */
  toOriginal(index: number): number;
}

export function fold(text: string): Folded {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is what is meant.
  if (/^[\x00-\x7f]*$/.test(text)) return { text: text.toLowerCase(), toOriginal: (index) => index };
  const places: number[] = [];
  let folded = "";
  let at = 0;
  for (const character of text) {
    const plain = plainOf(character);
    for (let i = 0; i < plain.length; i++) places.push(at);
    folded += plain;
    at += character.length;
  }
  return { text: folded, toOriginal: (index) => places[index] ?? text.length };
}

const KNOWN = new Map<string, string>();

/** Folding a character takes twenty times as long as looking it up, and a text has few different ones. */
function plainOf(character: string): string {
  let plain = KNOWN.get(character);
  if (plain === undefined) {
    plain = character.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    KNOWN.set(character, plain);
  }
  return plain;
}
