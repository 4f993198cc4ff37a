import { foldWord } from "../../format/words.ts";

/** A text without case and diacritics, as the full-text index sees it. */
export interface Folded {
  text: string;
  /** The place in the original of a place in `text`. */
  toOriginal(index: number): number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is what is meant.
const NOT_ASCII = /[^\x00-\x7f]/;
/** Other characters, and the ASCII that follows them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const STRETCH = /([^\x00-\x7f]+)([\x00-\x7f]*)/g;

/** Characters that stand for a part of another. */
const PART = /[\u0300-\u036f\u0653-\u0655\u1100-\u11ff\u3099\u309a]/;
/** A character with the parts it is written in: й and が with their marks, the letters of a Korean syllable. */
const CHARACTER =
  /\P{M}[\u0300-\u036f\u0653-\u0655\u3099\u309a]+|[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|./gsu;

export function fold(text: string): Folded {
  const first = text.search(NOT_ASCII);
  if (first < 0) return { text: text.toLowerCase(), toOriginal: (index) => index };
  const places = new Places();
  let folded = text.slice(0, first).toLowerCase();
  let at = first;
  for (const [, others = "", ascii = ""] of text.slice(first).matchAll(STRETCH)) {
    for (const character of charactersOf(others)) {
      const plain = plainOf(character);
      for (let i = 0; i < plain.length; i++) places.note(folded.length + i, at);
      folded += plain;
      at += character.length;
    }
    places.note(folded.length, at);
    folded += ascii.toLowerCase();
    at += ascii.length;
  }
  return {
    text: folded,
    toOriginal: (index) => (index < folded.length ? places.originalOf(index) : text.length),
  };
}

/** To iterate a string takes half the time of an expression. */
function charactersOf(text: string): Iterable<string> {
  return PART.test(text) ? (text.match(CHARACTER) ?? []) : text;
}

/** Where in the original a place of the folded text is: noted only where the distance between the two changes. */
class Places {
  readonly #from = [0];
  /** How much further on in the original. */
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

/** Folding a character takes twenty times as long as looking it up, and a text has few different ones. */
function plainOf(character: string): string {
  let plain = KNOWN.get(character);
  if (plain === undefined) {
    plain = foldWord(character);
    KNOWN.set(character, plain);
  }
  return plain;
}
