import { Doclists, mostBytes } from "./doclists.ts";
import { type RunSource, runBytes, writeRun } from "./run-writer.ts";
import * as terms from "./term-memory.ts";
import { TermMemory } from "./term-memory.ts";
import { MOST_TERMS, TermTable } from "./term-table.ts";
import type { Tokens } from "./tokens.ts";
import * as tokens from "./tokens.ts";

// Bound here, because V8 looks up what is imported each time it is used, which takes a third more time.
const { MOST_TOKENS } = tokens;
const { NEWEST, NOWHERE } = terms;

/** FTS5 adds so much to the position of a word, and to the difference between two, to write it. */
const ADDED = 2;

/** Bytes of the longest position. */
const POSITION = 4;

/**
 * Memory for the lists of a run, far more than one takes: whether an entry has room is decided beforehand, by the most that
 * it could take. Memory that is not needed is never touched.
 */
const SLICE_BYTES = 32 * 1024 * 1024;

/** The most words an entry may have to be added here. */
const MOST_POSITIONS = 1 << 19;

/** What an entry's words came to. */
export type Added = { words: number } | "no room";

/** Which words stand where, in entries that are added one after the other: an inverted index in memory. */
export class Postings {
  readonly #source: RunSource;
  /** The terms for the words that were taken last. */
  readonly #found = new Int32Array(MOST_TOKENS);
  /** By position in the present entry, the position before it of the same word, or `NOWHERE`. */
  readonly #earlier = new Int32Array(MOST_POSITIONS);
  /** The terms of the present entry, each once. */
  readonly #met = new Int32Array(MOST_POSITIONS);
  #positionCount = 0;
  #metCount = 0;
  #hasRoom = true;
  /** Positions of one word are put together here, from the end on. */
  readonly #positions = new Uint8Array(POSITION * MOST_POSITIONS);

  constructor() {
    const memory = new TermMemory(MOST_TERMS, SLICE_BYTES);
    this.#source = { memory, table: new TermTable(memory), lists: new Doclists(memory) };
  }

  /** The next words of the present entry. */
  take(words: Tokens): void {
    const { table, memory } = this.#source;
    this.#hasRoom &&= this.#positionCount + words.count <= MOST_POSITIONS && table.hasRoomFor(words);
    if (!this.#hasRoom) return;
    table.find(words, this.#found);
    const { numbers } = memory;
    const found = this.#found;
    const earlier = this.#earlier;
    const met = this.#met;
    let position = this.#positionCount;
    let metCount = this.#metCount;
    for (let word = 0; word < words.count; word++) {
      const term = found[word] ?? 0;
      const before = numbers[term + NEWEST] ?? NOWHERE;
      if (before === NOWHERE) met[metCount++] = term;
      earlier[position] = before;
      numbers[term + NEWEST] = position++;
    }
    this.#positionCount = position;
    this.#metCount = metCount;
  }

  /** Writes what the present entry holds, or nothing of it where there is no room, and begins the next. */
  finish(key: number): Added {
    const { memory } = this.#source;
    const words = this.#positionCount;
    const isWritten = this.#hasRoom && mostBytes(this.#metCount, words) <= memory.left;
    for (let at = 0; at < this.#metCount; at++) {
      const term = this.#met[at] ?? 0;
      const newest = memory.numbers[term + NEWEST] ?? 0;
      memory.numbers[term + NEWEST] = NOWHERE;
      if (isWritten) this.#write(term, key, newest);
    }
    this.#positionCount = 0;
    this.#metCount = 0;
    this.#hasRoom = true;
    return isWritten ? { words } : "no room";
  }

  /** Bytes that `writeTo` takes at most. */
  get size(): number {
    return runBytes(this.#source);
  }

  /** Writes all that was added as a run, which `run-reader.ts` describes, and begins anew. Returns where it ends. */
  writeTo(room: Uint8Array): number {
    const end = writeRun(this.#source, room);
    this.clear();
    return end;
  }

  clear(): void {
    this.#source.table.clear();
    this.#source.memory.clear();
  }

  #write(term: number, key: number, newest: number): void {
    if (this.#earlier[newest] === NOWHERE) this.#source.lists.addOne(term, key, newest + ADDED);
    else this.#source.lists.add(term, key, this.#positions, this.#putTogether(newest));
  }

  /** Positions are known from the last to the first, and are written from the first to the last. Returns where they begin. */
  #putTogether(newest: number): number {
    let start = this.#positions.length;
    for (let position = newest; position !== NOWHERE; ) {
      const before = this.#earlier[position] ?? NOWHERE;
      const difference = before === NOWHERE ? position : position - before;
      start = putBefore(this.#positions, start, difference + ADDED);
      position = before;
    }
    return start;
  }
}

/** Writes a number as `putVarint` does, but so that it ends at a place. Returns where it begins. */
function putBefore(bytes: Uint8Array, end: number, value: number): number {
  let start = end - 1;
  bytes[start] = value & 0x7f;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes[--start] = (rest & 0x7f) | 0x80;
  return start;
}
