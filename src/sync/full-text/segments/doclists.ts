import { copyBytes } from "./copy-bytes.ts";
import * as terms from "./term-memory.ts";
import { listOf, type TermMemory } from "./term-memory.ts";
import { putVarint } from "./varint.ts";

// Bound here, because V8 looks up what is imported each time it is used, which takes a third more time.
const { AT, FIRST_KEY, FIRST_SLICE, LAST_KEY, LAST_SLICE, LIMIT, NUMBER_BYTES } = terms;

/** Bytes at the beginning of each slice: two numbers, which slice follows, and where the list ends in the one before. */
const HEADER = 2 * NUMBER_BYTES;

/** Each slice of a list is twice as large as the one before it, up to the largest. Bytes, headers included. */
const SMALLEST = 24;
const LARGEST = 768;

/** What the key of an entry and the size of its positions take at most. Bytes. */
const KEY_AND_SIZE = 10;
/** What a single position takes at most. Bytes. */
const POSITION = 4;

/** Bytes of slices that an entry takes at most, if so many terms have so many positions in it. */
export function mostBytes(terms: number, positions: number): number {
  return terms * (LARGEST + 2 * (KEY_AND_SIZE + HEADER)) + 2 * POSITION * positions;
}

/**
 * The lists of the entries that terms were met in, as FTS5 writes them, but without the key of the first entry. All keys
 * are differences from the first one of the run.
 */
export class Doclists {
  readonly #memory: TermMemory;

  constructor(memory: TermMemory) {
    this.#memory = memory;
  }

  /** An entry in which a term stands at one position only, as most do. */
  addOne(term: number, key: number, position: number): void {
    const { numbers, bytes } = this.#memory;
    const at = this.#begin(term, key, POSITION);
    const end = putVarint(bytes, at + 1, position);
    bytes[at] = 2 * (end - at - 1);
    numbers[term + AT] = end;
  }

  /** @param positions as FTS5 writes them, from `from` to the end */
  add(term: number, key: number, positions: Uint8Array, from: number): void {
    const { numbers, bytes } = this.#memory;
    const size = positions.length - from;
    let at = putVarint(bytes, this.#begin(term, key, size), 2 * size);
    for (let each = from; each < positions.length; each++) bytes[at++] = positions[each] ?? 0;
    numbers[term + AT] = at;
  }

  isEmpty(term: number): boolean {
    return this.#memory.numbers[term + AT] === listOf(term);
  }

  /** Writes the whole list of a term, and returns where it ends. */
  copy(term: number, to: Uint8Array, place: number): number {
    const { numbers, bytes } = this.#memory;
    let end = place;
    let from = listOf(term);
    for (let slice = numbers[term + FIRST_SLICE] ?? 0; slice !== 0; ) {
      const number = slice / NUMBER_BYTES;
      end = copyBytes(bytes, from, numbers[number + 1] ?? 0, to, end);
      from = slice + HEADER;
      slice = numbers[number] ?? 0;
    }
    return copyBytes(bytes, from, numbers[term + AT] ?? 0, to, end);
  }

  /** Writes the key of an entry, for whose positions there is room then. Returns where they belong. */
  #begin(term: number, key: number, size: number): number {
    const { numbers, bytes } = this.#memory;
    const before = numbers[term + AT] ?? 0;
    const hasRoom = (numbers[term + LIMIT] ?? 0) - before >= size + KEY_AND_SIZE;
    const at = hasRoom ? before : this.#continue(term, before, size + KEY_AND_SIZE);
    const last = numbers[term + LAST_KEY] ?? 0;
    numbers[term + LAST_KEY] = key;
    if (before !== listOf(term)) return putVarint(bytes, at, key - last);
    numbers[term + FIRST_KEY] = key;
    return at;
  }

  /** Goes on with a list in another slice, and returns where. */
  #continue(term: number, end: number, room: number): number {
    const { numbers } = this.#memory;
    const last = numbers[term + LAST_SLICE] ?? 0;
    const size = last === 0 ? SMALLEST : Math.min(2 * ((numbers[term + LIMIT] ?? 0) - last), LARGEST);
    const slice = this.#memory.takeSlice(Math.max(size, HEADER + wholeNumbers(room)));
    numbers[last === 0 ? term + FIRST_SLICE : last / NUMBER_BYTES] = slice;
    numbers[term + LAST_SLICE] = slice;
    numbers[slice / NUMBER_BYTES] = 0;
    numbers[slice / NUMBER_BYTES + 1] = end;
    numbers[term + LIMIT] = slice + Math.max(size, HEADER + wholeNumbers(room));
    return slice + HEADER;
  }
}

/** Rounds bytes up to whole numbers. */
function wholeNumbers(bytes: number): number {
  return (bytes + NUMBER_BYTES - 1) & -NUMBER_BYTES;
}
