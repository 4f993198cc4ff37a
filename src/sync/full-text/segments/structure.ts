import { afterVarint, LONGEST_VARINT, putVarint, varintAt } from "./varint.ts";

/** A segment as the structure record of FTS5 lists it. */
export interface Segment {
  /** From 1 on. */
  id: number;
  firstPage: number;
  lastPage: number;
  /** FTS5 numbers what it writes, its "origins". A new segment has one, a merged one spans those it was made of. */
  firstOrigin: number;
  lastOrigin: number;
  tombstonePages: number;
  /** Deleted entries. */
  tombstones: number;
  /** All entries that were ever put in, deleted ones included. */
  entries: number;
}

interface Level {
  /** So many of its segments, the oldest, are being merged. */
  merging: number;
  /** From the oldest to the newest. */
  segments: Segment[];
}

/** What FTS5 writes for tables from which can be deleted although they hold no content. */
const VERSION_2 = [0xff, 0x00, 0x00, 0x01];
const COOKIE_BYTES = 4;

/**
 * The structure record of a full text: which segments it is made of. The format is told in SQLite's `fts5_index.c`,
 * "Structure Records".
 */
export class Structure {
  readonly #cookie: Uint8Array;
  readonly #writes: number;
  readonly #levels: Level[];

  private constructor(cookie: Uint8Array, writes: number, levels: Level[]) {
    this.#cookie = cookie;
    this.#writes = writes;
    this.#levels = levels;
  }

  /** Null for a record of a format that is not known. */
  static read(record: Uint8Array): Structure | null {
    if (VERSION_2.some((byte, at) => record[COOKIE_BYTES + at] !== byte)) return null;
    const next = numbersOf(record, COOKIE_BYTES + VERSION_2.length);
    const levelCount = next();
    // How many segments there are is told by the levels.
    next();
    const writes = next();
    const levels = Array.from({ length: levelCount }, () => readLevel(next));
    return new Structure(record.slice(0, COOKIE_BYTES), writes, levels);
  }

  get segments(): Segment[] {
    return this.#levels.flatMap(({ segments }) => segments);
  }

  /** The smallest number that no segment has. */
  get freeId(): number {
    const used = new Set(this.segments.map(({ id }) => id));
    let id = 1;
    while (used.has(id)) id++;
    return id;
  }

  /** The number of what is written next. */
  get nextOrigin(): number {
    return 1 + this.segments.reduce((last, { lastOrigin }) => Math.max(last, lastOrigin), 0);
  }

  /** With one segment more, put where FTS5 puts what it has just written. */
  add(segment: Segment): void {
    const [first = { merging: 0, segments: [] }, ...others] = this.#levels;
    if (this.#levels.length === 0) this.#levels.push(first);
    first.segments.push(segment);
    if (first.merging === 0) promote(first, others, pagesOf(segment));
  }

  write(): Uint8Array {
    const { segments } = this;
    const counts = [this.#levels.length, segments.length, this.#writes];
    const numbers = [...counts, ...this.#levels.flatMap(numbersOfLevel)];
    const bytes = new Uint8Array(COOKIE_BYTES + VERSION_2.length + numbers.length * LONGEST_VARINT);
    bytes.set(this.#cookie);
    bytes.set(VERSION_2, COOKIE_BYTES);
    let end = COOKIE_BYTES + VERSION_2.length;
    for (const number of numbers) end = putVarint(bytes, end, number);
    return bytes.subarray(0, end);
  }
}

/** What was written earlier and is not larger comes down to the level of what is new, the newest first. */
function promote(to: Level, others: Level[], pages: number): void {
  for (const level of others) {
    if (level.merging > 0) return;
    for (let last = level.segments.at(-1); last !== undefined; last = level.segments.at(-1)) {
      if (pagesOf(last) > pages) return;
      level.segments.pop();
      to.segments.unshift(last);
    }
  }
}

function pagesOf({ firstPage, lastPage }: Segment): number {
  return 1 + lastPage - firstPage;
}

/** Gives the numbers of a record, one after the other. */
function numbersOf(record: Uint8Array, from: number): () => number {
  let at = from;
  return () => {
    const value = varintAt(record, at);
    at = afterVarint(record, at);
    return value;
  };
}

function readLevel(next: () => number): Level {
  const merging = next();
  const count = next();
  return { merging, segments: Array.from({ length: count }, () => readSegment(next)) };
}

function readSegment(next: () => number): Segment {
  const [id, firstPage, lastPage] = [next(), next(), next()];
  const [firstOrigin, lastOrigin, tombstonePages] = [next(), next(), next()];
  const [tombstones, entries] = [next(), next()];
  return { id, firstPage, lastPage, firstOrigin, lastOrigin, tombstonePages, tombstones, entries };
}

function numbersOfLevel({ merging, segments }: Level): number[] {
  return [merging, segments.length, ...segments.flatMap(numbersOfSegment)];
}

/** In the order of the record. */
function numbersOfSegment(segment: Segment): number[] {
  const { id, firstPage, lastPage, firstOrigin, lastOrigin, tombstonePages, tombstones, entries } = segment;
  return [id, firstPage, lastPage, firstOrigin, lastOrigin, tombstonePages, tombstones, entries];
}
