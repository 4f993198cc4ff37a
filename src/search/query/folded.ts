import { foldWord } from "../fts/tokenizer.ts";

/** A text without diacritics, as the full text sees it, except that A to Z may be capitals. */
export interface Folded {
  /** To be searched with the flag `i`: making it lower case would take longer. */
  text: string;
  /** The place in the original of a place in `text`. */
  toOriginal(index: number): number;
}

/** Characters that folding may change: all but ASCII, signs, Chinese and Japanese characters, Korean syllables, emoji. */
const CHANGING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is what is meant.
  /[^\x00-\x7f\u2010-\u205f\u2190-\u2328\u232b-\u24b5\u24ea-\u2adb\u2add-\u2bff\u3001-\u3029\u3030-\u3096\u309b-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\ud83c-\ud83e\udc00-\udfff\uff01-\uff0f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const NOT_ASCII = /[^\x00-\x7f]/;
/** Other characters than ASCII, and the ASCII that follows them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const STRETCH = /([^\x00-\x7f]+)([\x00-\x7f]*)/g;

/**
 * A character with the parts it is written in: й and が with their marks, the letters of a Korean syllable; and marks in
 * a row, which may be written in several orders.
 */
const CHARACTER = /\P{M}?\p{M}+|[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|./gsu;

export function fold(text: string): Folded {
  if (!CHANGING.test(text)) return { text, toOriginal: (index) => index };
  // Not the first character that changes: that may be a mark on one before it that does not.
  const first = text.search(NOT_ASCII);
  // To iterate a string takes half the time of an expression, and most are composed.
  const isComposed = text === text.normalize("NFC");
  const places = new Places();
  let folded = text.slice(0, first);
  let at = first;
  for (const [, others = "", ascii = ""] of text.slice(first).matchAll(STRETCH)) {
    for (const character of isComposed ? others : (others.match(CHARACTER) ?? [])) {
      const plain = plainOf(character);
      for (let i = 0; i < plain.length; i++) {
        places.note(folded.length + i, at + Math.min(i, character.length - 1));
      }
      folded += plain;
      at += character.length;
    }
    places.note(folded.length, at);
    folded += ascii;
    at += ascii.length;
  }
  return {
    text: folded,
    toOriginal: (index) => (index < folded.length ? places.originalOf(index) : text.length),
  };
}

/** Finds the place in the original for a place in the folded text. Noted only where the distance between them changes. */
class Places {
  readonly #from = [0];
  /** How much further on a place is in the original. */
  readonly #distances = [0];

  note(index: number, original: number): void {
    const distance = original - index;
    if (distance === this.#distances.at(-1)) return;
    this.#from.push(index);
    this.#distances.push(distance);
  }

  originalOf(index: number): number {
    let [low, high] = [0, this.#from.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#from[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return index + (this.#distances[low] ?? 0);
  }
}

const KNOWN = new Map<string, string>();

/** Remembers its answers: folding a character takes twenty times as long as a look-up, and texts use few different ones. */
function plainOf(character: string): string {
  let plain = KNOWN.get(character);
  if (plain === undefined) {
    plain = foldWord(character);
    KNOWN.set(character, plain);
  }
  return plain;
}
