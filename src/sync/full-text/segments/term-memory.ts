/*
 * A term is a word that was met, with the list of the entries it was met in. Its record fills one line of the processor's
 * cache, 64 bytes, so that meeting the word again costs one look into memory. It begins with the fields of the word.
 */

/** Its last position in the present entry; `NOWHERE` when it has none there. */
export const NEWEST = 5;
/** The first and the last entry it was met in, by the difference from the first key of the run. */
export const FIRST_KEY = 6;
export const LAST_KEY = 7;
/** Where the next bytes of its list belong, and where the room for them ends; in bytes of the memory. */
export const AT = 8;
export const LIMIT = 9;
/** The first slice of memory in which the list is continued, and the last one; 0 while it has room here. */
export const FIRST_SLICE = 10;
export const LAST_SLICE = 11;
/** The beginning of the list takes the rest of the line: most words are met in one entry. */
export const LIST = 12;
export const TERM = 16;

export const NOWHERE = -1;

export const NUMBER_BYTES = 4;

/** Where the list of a term begins, in bytes of the memory. */
export function listOf(term: number): number {
  return NUMBER_BYTES * (term + LIST);
}

/** Terms, and after them the slices in which lists are continued. Memory that is not needed is never touched. */
export class TermMemory {
  readonly numbers: Int32Array;
  readonly bytes: Uint8Array;
  readonly #firstSlice: number;
  #nextSlice: number;

  constructor(mostTerms: number, sliceBytes: number) {
    this.#firstSlice = NUMBER_BYTES * TERM * mostTerms;
    this.#nextSlice = this.#firstSlice;
    const memory = new ArrayBuffer(this.#firstSlice + sliceBytes);
    this.numbers = new Int32Array(memory);
    this.bytes = new Uint8Array(memory);
  }

  /** Bytes of slices that were taken. */
  get taken(): number {
    return this.#nextSlice - this.#firstSlice;
  }

  /** Bytes that are left for slices. */
  get left(): number {
    return this.bytes.length - this.#nextSlice;
  }

  /** @param size in bytes, a multiple of `NUMBER_BYTES` */
  takeSlice(size: number): number {
    const slice = this.#nextSlice;
    this.#nextSlice += size;
    return slice;
  }

  clear(): void {
    this.#nextSlice = this.#firstSlice;
  }
}
