import { codeAt, sizeOf } from "./utf8.ts";

/** In characters: longer runs of letters and digits are encoded data, not names. */
export const LONGEST_NAME = 64;
const LONGEST_BYTES = 4 * LONGEST_NAME;

/** How many places the table has by which known names are recognised; 2 ** 16 take a quarter of a megabyte. */
const PLACES = 1 << 16;

const SPACE = 0x20;

/** Kinds of characters. */
const OTHER = 0;
const DIGIT = 1;
const SMALL = 2;
const CAPITAL = 3;
/** A letter that is neither small nor a capital, or a digit of another script. */
const LETTER = 4;
/** A byte of a character beyond ASCII. */
const FOREIGN = 5;

const KINDS = Uint8Array.from({ length: 0x100 }, (_, byte) =>
  byte < 0x80 ? kindOf(String.fromCharCode(byte)) : FOREIGN,
);

function kindOf(character: string): number {
  if (/[0-9]/.test(character)) return DIGIT;
  if (/\p{Ll}/u.test(character)) return SMALL;
  if (/\p{Lu}/u.test(character)) return CAPITAL;
  // In texts for the full text private characters stand for vowel signs (`words.ts`); those for emoji have spaces
  // around them. At all other marks the full text ends a word.
  return /[\p{L}\p{N}\u{f0000}-\u{fffff}]/u.test(character) ? LETTER : OTHER;
}

/**
 * Finds the compound names in texts (`sessionManager`, `parseHTTPResponse`), as they stand there and each once: words
 * with a capital after a small letter or digit, or a small letter after two capitals. Names with `_`, `-` or `.` do not
 * count: the index splits those by itself.
 *
 * It runs over every text there is, in the UTF-8 that the full text gets: with regular expressions over strings,
 * reading the texts would take a fifth longer. Of a hundred names 99 are known already, and cutting each out of its
 * text and looking it up would take as long as all the rest. So a sum of a word's bytes is made while its ends are
 * looked for, and the last name found with that sum is compared with the text: equal sums alone prove nothing.
 */
export class NameFinder {
  /** Where each name stands in `#kept`. */
  readonly #found = new Map<string, number>();
  /** The names in UTF-8, a space after each. No name stands at 0. */
  #kept = Buffer.allocUnsafeSlow(1 << 16);
  #keptEnd = 1;
  /** By sum: where in `#kept` the last name found with it stands; 0 for none. */
  readonly #glance = new Int32Array(PLACES);

  /** The names in a text that were not found before. */
  newIn(text: string): string[] {
    const utf8 = Buffer.from(text);
    return this.newBetween(utf8, 0, utf8.length);
  }

  /** The same for a stretch of a text in UTF-8 that neither begins nor ends within a word. */
  newBetween(utf8: Buffer, from: number, to: number): string[] {
    const names: string[] = [];
    let before: number | undefined = OTHER;
    for (let at = from, step = 1; at < to; at += step) {
      let kind = KINDS[utf8[at] ?? 0];
      step = 1;
      if (kind === FOREIGN) {
        kind = foreignKindAt(utf8, at);
        step = sizeOf(utf8[at] ?? 0);
      }
      if (kind !== CAPITAL || !isSeam(before, utf8, at + step, to)) {
        before = kind;
        continue;
      }
      let start = at;
      let end = at;
      let length = 0;
      let sum = 0;
      for (; start > from; length++) {
        const byte = utf8[start - 1] ?? 0;
        if (KINDS[byte] === OTHER) break;
        const size = KINDS[byte] === FOREIGN ? foreignLetterBefore(utf8, start) : 1;
        if (size === 0) break;
        sum = (Math.imul(sum, 31) + byte) | 0;
        start -= size;
      }
      for (; end < to; length++) {
        const byte = utf8[end] ?? 0;
        if (KINDS[byte] === OTHER) break;
        const size = KINDS[byte] === FOREIGN ? foreignLetterAt(utf8, end) : 1;
        if (size === 0) break;
        sum = (Math.imul(sum, 31) + byte) | 0;
        end += size;
      }
      at = end;
      step = 0;
      before = OTHER;
      if (length > LONGEST_NAME || this.#isAtGlance(utf8, start, end, placeOf(sum))) continue;
      const name = utf8.toString("utf8", start, end);
      if (this.#isNew(name, placeOf(sum))) names.push(name);
    }
    return names;
  }

  /** Makes every name new again. */
  forget(): void {
    this.#found.clear();
    this.#glance.fill(0);
    this.#keptEnd = 1;
  }

  #isAtGlance(utf8: Uint8Array, start: number, end: number, place: number): boolean {
    let kept = this.#glance[place] ?? 0;
    if (kept === 0) return false;
    for (let at = start; at < end; at++, kept++) if (utf8[at] !== this.#kept[kept]) return false;
    return this.#kept[kept] === SPACE;
  }

  /** Whether a name was not found before. From now on it is known, at a glance by this place. */
  #isNew(name: string, place: number): boolean {
    const known = this.#found.get(name);
    this.#glance[place] = known ?? this.#keep(name);
    return known === undefined;
  }

  /** Keeps a name, and returns where it stands in `#kept`. */
  #keep(name: string): number {
    const at = this.#keptEnd;
    if (at + LONGEST_BYTES >= this.#kept.length) {
      this.#kept = Buffer.concat([this.#kept], 2 * this.#kept.length);
    }
    this.#keptEnd += this.#kept.write(name, at);
    this.#kept[this.#keptEnd++] = SPACE;
    this.#found.set(name, at);
    return at;
  }
}

/** Whether one part of a compound name ends before a capital and the next begins with it. */
function isSeam(before: number | undefined, utf8: Uint8Array, afterCapital: number, end: number): boolean {
  if (before === SMALL || before === DIGIT) return true;
  if (before !== CAPITAL || afterCapital >= end) return false;
  const next = KINDS[utf8[afterCapital] ?? 0];
  return (next === FOREIGN ? foreignKindAt(utf8, afterCapital) : next) === SMALL;
}

/** How many bytes the non-ASCII letter or digit that begins there has; 0 when it is none. */
function foreignLetterAt(utf8: Uint8Array, at: number): number {
  return foreignKindAt(utf8, at) === OTHER ? 0 : sizeOf(utf8[at] ?? 0);
}

/** The same for the character that ends there. */
function foreignLetterBefore(utf8: Uint8Array, end: number): number {
  let at = end - 1;
  while (at > 0 && ((utf8[at] ?? 0) & 0xc0) === 0x80) at--;
  return foreignLetterAt(utf8, at);
}

/** By character: one more than its kind; 0 while that is not known. */
const FOREIGN_KINDS = new Uint8Array(0x110000);

/** The kind of the non-ASCII character that begins there; `OTHER` where no character begins. */
function foreignKindAt(utf8: Uint8Array, at: number): number {
  const code = codeAt(utf8, at);
  FOREIGN_KINDS[code] ||= kindOf(String.fromCodePoint(code)) + 1;
  return (FOREIGN_KINDS[code] ?? 0) - 1;
}

function placeOf(sum: number): number {
  return (sum ^ (sum >>> 15)) & (PLACES - 1);
}
