import { BETWEEN, foldWord } from "./tokenizer.ts";
import {
  CAPITAL,
  DIGIT,
  FOREIGN,
  foreignKindAt,
  foreignLetterAt,
  foreignLetterBefore,
  KINDS,
  OTHER,
  SMALL,
  sizeOf,
} from "./utf8-characters.ts";

/** In characters, of four bytes at most: longer runs of letters and digits are encoded data. */
const LONGEST = 64;

/** How many places the table has by which known identifiers are recognised; 2 ** 16 take a quarter of a megabyte. */
const PLACES = 1 << 16;
const SPACE = 0x20;

/** Identifiers of one entry that are found by their parts: a file of source code has fewer. */
const MOST_IN_ENTRY = 500;
/** So many are remembered, some 15 MB: base64 is full of what looks like identifiers, millions in some gigabytes. */
const MOST_KNOWN = 50_000;

/**
 * Finds the identifiers in texts (`sessionManager`, `parseHTTPResponse`): words with a capital after a small letter or
 * digit, or a small letter after two capitals. Those with `_`, `-` or `.` do not count: the index splits them by itself.
 *
 * It runs over the UTF-8 that the full text gets: with regular expressions over strings, reading would take a fifth
 * longer. Of a hundred identifiers 99 are known already, and cutting each out of its text and looking it up would take as
 * long as all the rest. So a sum of a word's bytes is made while its ends are looked for, and the last identifier found
 * with that sum is compared with the text: equal sums alone prove nothing.
 */
export class IdentifierFinder {
  /** The number of each known identifier. */
  readonly #numbers = new Map<string, number>();
  /** By number: where the identifier stands in `#kept`, what it is found by, and the last text it was found in. */
  #places: number[] = [];
  #words: (readonly string[])[] = [];
  #foundIn: number[] = [];
  /** The identifiers in UTF-8, a space after each. */
  #kept = Buffer.allocUnsafeSlow(1 << 16);
  #keptEnd = 0;
  /** By sum: one more than the number of the last identifier found with it; 0 for none. */
  readonly #lastBySum = new Int32Array(PLACES);
  #text = 0;

  /**
   * The words by which the identifiers in an entry's text are found, each once, with `BETWEEN` before what begins anew.
   *
   * @param utf8 as `spaced` gives it
   */
  partsIn(utf8: Buffer): string[] {
    const found: string[] = [];
    const known = new Set([BETWEEN]);
    let left = MOST_IN_ENTRY;
    if (this.#words.length > MOST_KNOWN) this.#clear();
    this.#text++;
    this.#eachIn(utf8, (number) => {
      if (this.#foundIn[number] === this.#text) return;
      this.#foundIn[number] = this.#text;
      const words = this.#words[number] ?? [];
      if (words.length === 0 || left-- <= 0) return;
      for (const word of [BETWEEN, ...words]) {
        if (!known.has(word)) found.push(word);
        else if (found.at(-1) !== BETWEEN) found.push(BETWEEN);
        known.add(word);
      }
    });
    return found;
  }

  /** Calls `take` with the number of each identifier. */
  #eachIn(utf8: Buffer, take: (number: number) => void): void {
    const to = utf8.length;
    let before: number | undefined = OTHER;
    for (let at = 0, step = 1; at < to; at += step) {
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
      for (; start > 0; length++) {
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
      if (length > LONGEST) continue;
      const dataEnd = endOfData(utf8, start, end);
      if (dataEnd !== null) {
        at = dataEnd;
        continue;
      }
      take(this.#lastAt(utf8, start, end, placeOf(sum)) ?? this.#numberOf(utf8, start, end, placeOf(sum)));
    }
  }

  #lastAt(utf8: Uint8Array, start: number, end: number, place: number): number | undefined {
    const number = (this.#lastBySum[place] ?? 0) - 1;
    if (number < 0) return undefined;
    let kept = this.#places[number] ?? 0;
    for (let at = start; at < end; at++, kept++) if (utf8[at] !== this.#kept[kept]) return undefined;
    return this.#kept[kept] === SPACE ? number : undefined;
  }

  /** The number of an identifier, which from now on is recognised by this place. */
  #numberOf(utf8: Buffer, start: number, end: number, place: number): number {
    const identifier = utf8.toString("utf8", start, end);
    const number = this.#numbers.get(identifier) ?? this.#keep(identifier);
    this.#lastBySum[place] = number + 1;
    return number;
  }

  #keep(identifier: string): number {
    const number = this.#words.length;
    if (this.#keptEnd + 4 * LONGEST >= this.#kept.length) {
      this.#kept = Buffer.concat([this.#kept], 2 * this.#kept.length);
    }
    this.#places.push(this.#keptEnd);
    this.#keptEnd += this.#kept.write(`${identifier} `, this.#keptEnd);
    this.#words.push(wordsOf(identifier));
    this.#foundIn.push(0);
    this.#numbers.set(identifier, number);
    return number;
  }

  #clear(): void {
    this.#numbers.clear();
    this.#lastBySum.fill(0);
    this.#keptEnd = 0;
    [this.#places, this.#words, this.#foundIn] = [[], [], []];
  }
}

/**
 * The words by which an identifier is found: its parts, and between each two of them the two as one (`GitHubClient` by
 * `github`), so that no phrase that anybody means spans two parts. None for what looks like encoded data.
 */
export function wordsOf(identifier: string): string[] {
  const parts = partsOf(identifier);
  if (looksEncoded(identifier, parts)) return [];
  const words = parts.map(foldWord);
  // Two of two would be the identifier itself.
  const both = (at: number) => (words.length === 2 ? BETWEEN : `${words[at - 1]}${words[at]}`);
  return words.flatMap((word, at) => (at === 0 ? [word] : [both(at), word]));
}

/** In lower case: `parseHTTPResponse` gives `parse`, `http`, `response`. */
function partsOf(identifier: string): string[] {
  return identifier
    .replace(/([\p{Ll}0-9])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(" ");
}

/** Whether one part of an identifier ends before a capital and the next begins with it. */
function isSeam(before: number | undefined, utf8: Uint8Array, afterCapital: number, end: number): boolean {
  if (before === SMALL || before === DIGIT) return true;
  if (before !== CAPITAL || afterCapital >= end) return false;
  const next = KINDS[utf8[afterCapital] ?? 0];
  return (next === FOREIGN ? foreignKindAt(utf8, afterCapital) : next) === SMALL;
}

function placeOf(sum: number): number {
  return (sum ^ (sum >>> 15)) & (PLACES - 1);
}

/** Kinds of characters in the alphabets of base64; 0 for all that are in none. */
const DATA_KINDS = Uint8Array.from({ length: 0x100 }, (_, byte) => dataKindOf(String.fromCharCode(byte)));

function dataKindOf(character: string): number {
  return ["[a-z]", "[A-Z]", "[0-9]", "[+/=_-]"].findIndex((kind) => RegExp(kind).test(character)) + 1;
}

/**
 * Nobody looks for parts of encoded data (base64 on one line or on many, keys, digests). A word in it is told by what stands
 * around it: so many bytes of its alphabet in a row, at least half of them of another kind than the byte before. Of random
 * base64 64 % are, of the names and paths in a sample of our dependencies' sources at most 46 %.
 */
const DATA_BYTES = 60;

/** Where the encoded data around a word ends, told by up to `DATA_BYTES` on both sides; null where it is none. */
function endOfData(utf8: Uint8Array, start: number, end: number): number | null {
  let [from, to] = [start, end];
  const [first, last] = [Math.max(0, start - DATA_BYTES), Math.min(utf8.length, end + DATA_BYTES)];
  while (from > first && isInAlphabet(utf8, from - 1)) from--;
  while (to < last && isInAlphabet(utf8, to)) to++;
  if (to - from < DATA_BYTES) return null;
  let changes = 0;
  let before: number | undefined;
  for (let at = from; at < to; at++) {
    const kind = DATA_KINDS[utf8[at] ?? 0];
    if (kind !== before) changes++;
    before = kind;
  }
  if (2 * changes < to - from) return null;
  while (isInAlphabet(utf8, to)) to++;
  return to;
}

/** False beyond the end, too. */
function isInAlphabet(utf8: Uint8Array, at: number): boolean {
  return (DATA_KINDS[utf8[at] ?? 0] ?? 0) !== 0;
}

/** In characters: what is no longer may have any parts (`toDo`, `isOk`). */
const SHORT = 12;
const MOST_PARTS = 8;
/** On average. */
const LEAST_LETTERS = 2.5;
const MOST_SINGLE_LETTERS = 1;
const TWO_SMALL = /\p{Ll}\p{Ll}/u;

/** Whether an identifier by itself looks like encoded data. */
function looksEncoded(identifier: string, parts: readonly string[]): boolean {
  if ([...identifier].length <= SHORT) return false;
  if (parts.length > MOST_PARTS || !TWO_SMALL.test(identifier)) return true;
  const lengths = parts.map((part) => [...part].length);
  // A single letter comes first in many (`iPhone`, `aBook`).
  const counted = lengths[0] === 1 ? lengths.slice(1) : lengths;
  const letters = counted.reduce((sum, length) => sum + length, 0);
  const singles = counted.filter((length) => length === 1).length;
  return singles > MOST_SINGLE_LETTERS || letters < LEAST_LETTERS * counted.length;
}
