import { TextRoom } from "./text-room.ts";
import * as bits from "./word-bits.ts";
import { markEscapedWords, markWords } from "./word-bits.ts";

// Bound here, because V8 looks up what is imported each time it is used, which takes a third more time.
const { ALL, BYTES_PER_BITS } = bits;

/** Bytes whose words are found in one go. */
const BLOCK = 2048;
/** Words that are found in one go at most, with one that was open. */
export const MOST_SPANS = BLOCK / 2 + 1;

/** No word is open at the end of what was looked at. */
const NONE = -1;

const BACKSLASH = 0x5c;

/**
 * Finds in a text where words begin and end: runs of ASCII letters and digits, and of whatever is beyond ASCII. It finds
 * many at once, so that the processor does one kind of work for a while.
 */
export class WordSpans {
  /** Where the words that were found begin and end: begin, end, begin, end, ... */
  readonly bounds = new Int32Array(2 * MOST_SPANS);
  /** How many they are. */
  count = 0;
  readonly #bits = new Int32Array(BLOCK / BYTES_PER_BITS);
  #text = new TextRoom(0);
  #isEscaped = false;
  #from = 0;
  #at = 0;
  #to = 0;
  /** Where a word begins that goes on, or `NONE`. */
  #open = NONE;

  /** What is at either side of the stretch belongs to no word. */
  begin(text: TextRoom, from: number, to: number): void {
    this.#text = text;
    this.#isEscaped = false;
    this.#from = from;
    this.#at = from;
    this.#to = to;
    this.#open = NONE;
  }

  /** The same of a text as JSON writes it, with escapes, none of them by number. */
  beginEscaped(text: TextRoom, from: number, to: number): void {
    this.begin(text, from, to);
    this.#isEscaped = true;
  }

  /** Finds some more; false at the end. */
  next(): boolean {
    if (this.#at >= this.#to) return this.#last();
    const block = this.#at;
    const length = Math.min(BLOCK, this.#to - block);
    const count = this.#mark(block, block + length);
    const last = length - (count - 1) * BYTES_PER_BITS;
    if (last < BYTES_PER_BITS) this.#bits[count - 1] = (this.#bits[count - 1] ?? 0) & ~(ALL >>> last);
    this.#open = this.#find(block, count, this.#open);
    this.#at = block + length;
    return true;
  }

  /** A word that ends with the text. */
  #last(): boolean {
    if (this.#open === NONE) return false;
    this.bounds[0] = this.#open;
    this.bounds[1] = this.#to;
    this.count = 1;
    this.#open = NONE;
    return true;
  }

  #mark(block: number, end: number): number {
    const { bytes, view } = this.#text;
    const bits = this.#bits;
    if (!this.#isEscaped) return markWords(view, block, end, bits);
    return markEscapedWords(view, block, end, { bits, isOpen: isEscapeOpen(bytes, this.#from, block) });
  }

  /**
   * Where the words that are marked begin and end.
   *
   * @param open where a word begins that goes on here, or `NONE`
   * @returns the same for what follows
   */
  #find(block: number, count: number, open: number): number {
    const bits = this.#bits;
    const { bounds } = this;
    let start = open;
    let found = 0;
    for (let number = 0, base = block; number < count; number++, base += BYTES_PER_BITS) {
      let marks = bits[number] ?? 0;
      if (start !== NONE) {
        const end = Math.clz32(~marks);
        if (end === BYTES_PER_BITS) continue;
        bounds[found++] = start;
        bounds[found++] = base + end;
        marks &= ALL >>> end;
        start = NONE;
      }
      while (marks !== 0) {
        const first = Math.clz32(marks);
        const end = Math.clz32(~(marks | ~(ALL >>> first)));
        if (end === BYTES_PER_BITS) {
          start = base + first;
          break;
        }
        bounds[found++] = base + first;
        bounds[found++] = base + end;
        marks &= ALL >>> end;
      }
    }
    this.count = found / 2;
    return start;
  }
}

/** Whether an escape that begins before a place goes on there. */
function isEscapeOpen(bytes: Uint8Array, from: number, at: number): boolean {
  let start = at;
  while (start > from && bytes[start - 1] === BACKSLASH) start--;
  return (at - start) % 2 === 1;
}
