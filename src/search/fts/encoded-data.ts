/** Kinds of characters in the alphabets of base64; 0 for all that are in none. */
const KINDS = Uint8Array.from({ length: 0x100 }, (_, byte) => kindOf(String.fromCharCode(byte)));

function kindOf(character: string): number {
  return ["[a-z]", "[A-Z]", "[0-9]", "[+/=_-]"].findIndex((kind) => RegExp(kind).test(character)) + 1;
}

/**
 * Nobody looks for parts of encoded data (base64 on one line or on many, keys, digests). A word in it is told by what stands
 * around it: so many bytes of its alphabet in a row, at least half of them of another kind than the byte before. Of random
 * base64 64 % are, of the names and paths in a sample of our dependencies' sources at most 46 %.
 */
const DATA_BYTES = 60;

/** Where the encoded data around a word ends, told by up to `DATA_BYTES` on both sides; null where it is none. */
export function endOfData(utf8: Uint8Array, start: number, end: number): number | null {
  let [from, to] = [start, end];
  const [first, last] = [Math.max(0, start - DATA_BYTES), Math.min(utf8.length, end + DATA_BYTES)];
  while (from > first && isInAlphabet(utf8, from - 1)) from--;
  while (to < last && isInAlphabet(utf8, to)) to++;
  if (to - from < DATA_BYTES) return null;
  let changes = 0;
  let before: number | undefined;
  for (let at = from; at < to; at++) {
    const kind = KINDS[utf8[at] ?? 0];
    if (kind !== before) changes++;
    before = kind;
  }
  if (2 * changes < to - from) return null;
  while (isInAlphabet(utf8, to)) to++;
  return to;
}

/** False beyond the end, too. */
function isInAlphabet(utf8: Uint8Array, at: number): boolean {
  return (KINDS[utf8[at] ?? 0] ?? 0) !== 0;
}

/** In characters: what is no longer may have any parts (`toDo`, `isOk`). */
const SHORT = 12;
const MOST_PARTS = 8;
/** On average. */
const LEAST_LETTERS = 2.5;
const MOST_SINGLE_LETTERS = 1;
const TWO_SMALL = /\p{Ll}\p{Ll}/u;

/** Whether an identifier by itself looks like encoded data. */
export function looksEncoded(identifier: string, parts: readonly string[]): boolean {
  if ([...identifier].length <= SHORT) return false;
  if (parts.length > MOST_PARTS || !TWO_SMALL.test(identifier)) return true;
  const lengths = parts.map((part) => [...part].length);
  // A single letter comes first in many (`iPhone`, `aBook`).
  const counted = lengths[0] === 1 ? lengths.slice(1) : lengths;
  const letters = counted.reduce((sum, length) => sum + length, 0);
  const singles = counted.filter((length) => length === 1).length;
  return singles > MOST_SINGLE_LETTERS || letters < LEAST_LETTERS * counted.length;
}
