/*
 * A word of a text is kept in numbers of four bytes, the first byte the highest, with zeros after its end. A word of up to
 * twelve bytes is three such numbers, and takes three operations to look up or compare.
 */

/** What stands in the fields of a word: its first twelve bytes. */
export const FIRST = 0;
export const SECOND = 1;
export const THIRD = 2;
/** Bytes, of all of it. */
export const LENGTH = 3;
/** Where what is beyond twelve bytes begins, in numbers that are kept elsewhere. */
export const REST = 4;
export const FIELDS = 5;

/** Bytes that stand in the fields. */
export const SHORT = 12;

/** FTS5 cuts words off there. Bytes. */
export const LONGEST_WORD = 32_768;

/** How many numbers the rest of a word takes. */
export function restLength(length: number): number {
  return length > SHORT ? (length - SHORT + 3) >>> 2 : 0;
}

/** The most words at once: few enough to stay in the processor's cache until they have been looked up. */
export const MOST_TOKENS = 4096;

/** Consecutive words of a text, until they are looked up. */
export class Tokens {
  readonly fields = new Int32Array(FIELDS * MOST_TOKENS);
  /** Of words beyond their first twelve bytes. */
  readonly rest = new Int32Array(2 * restLength(LONGEST_WORD));
  count = 0;
  restEnd = 0;

  get isFull(): boolean {
    return this.count === MOST_TOKENS || this.isRestFull;
  }

  /** Whether the rest of another long word may have no room. */
  get isRestFull(): boolean {
    return this.restEnd > this.rest.length / 2;
  }

  clear(): void {
    this.count = 0;
    this.restEnd = 0;
  }
}
