import type { DoclistPart } from "./segment-writer.ts";
import { afterVarint, varintAt } from "./varint.ts";

/*
 * A run is made of entries in a row. It holds their words in the order of their bytes, each with the list of the entries
 * it stands in. For each word there are, one after the other: its length; the byte that FTS5 puts before it, and its own
 * bytes; the keys of its first and last entry, as differences from the first key of the run and from each other; the
 * length of its list, in four bytes; and the list.
 */

/** What FTS5 puts before the words of an index that is not one of their beginnings. */
export const WORD_MARK = 0x30;

/** Bytes of the length of a list. */
export const LIST_LENGTH = 4;

/** Bytes that stand in a run beside a word and its list, at most. */
export const BESIDE_WORD = 20;

/** Goes through a run word by word, beginning at the first. The reader is itself the doclist of its present word. */
export class RunReader implements DoclistPart {
  readonly bytes: Uint8Array;
  readonly #end: number;
  readonly #firstKey: number;
  /** Where the word stands. */
  wordFrom = 0;
  wordTo = 0;
  /** Its first four bytes, as a number that is smaller where the word is. */
  head = 0;
  from = 0;
  to = 0;
  first = 0;
  last = 0;
  isOver = false;

  /**
   * @param bytes the run is its beginning, up to `end`
   * @param firstKey of the entries it is of
   */
  constructor(bytes: Uint8Array, end: number, firstKey: number) {
    this.bytes = bytes;
    this.#end = end;
    this.#firstKey = firstKey;
    this.next();
  }

  next(): void {
    const { bytes } = this;
    this.isOver = this.to === this.#end;
    if (this.isOver) return;
    this.wordFrom = afterVarint(bytes, this.to);
    this.wordTo = this.wordFrom + varintAt(bytes, this.to);
    this.head = headOf(bytes, this.wordFrom + 1, this.wordTo);
    this.first = this.#firstKey + varintAt(bytes, this.wordTo);
    const lastKey = afterVarint(bytes, this.wordTo);
    this.last = this.first + varintAt(bytes, lastKey);
    const length = afterVarint(bytes, lastKey);
    this.from = length + LIST_LENGTH;
    this.to = this.from + headOf(bytes, length, this.from);
  }

  /** Less than 0 when its word comes before that of the other reader, 0 when they are the same. */
  compare(other: RunReader): number {
    if (this.head !== other.head) return this.head - other.head;
    const [length, others] = [this.wordTo - this.wordFrom, other.wordTo - other.wordFrom];
    for (let at = LIST_LENGTH + 1; at < length && at < others; at++) {
      const difference = (this.bytes[this.wordFrom + at] ?? 0) - (other.bytes[other.wordFrom + at] ?? 0);
      if (difference !== 0) return difference;
    }
    return length - others;
  }
}

/** Four bytes as a number, with zeros in the place of those from `end` on. */
function headOf(bytes: Uint8Array, at: number, end: number): number {
  let head = 0;
  for (let each = at; each < at + LIST_LENGTH; each++) {
    head = (head << 8) | (each < end ? (bytes[each] ?? 0) : 0);
  }
  return head >>> 0;
}
