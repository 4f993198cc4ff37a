import { copyBytes } from "./copy-bytes.ts";
import { DoclistIndex } from "./doclist-index.ts";
import { type PageSink, pageId } from "./page-sink.ts";
import { afterVarint, putVarint, varintAt, varintLength } from "./varint.ts";

/** A stretch of the doclist of a word: of entries in a row, all after those of the part before. */
export interface DoclistPart {
  /** Holds the list but for the key of its first entry: positions with their size, then key differences and positions. */
  bytes: Uint8Array;
  from: number;
  to: number;
  /** Keys of its first and its last entry. */
  first: number;
  last: number;
}

/** The header of a page: where its first entry stands if that is before its first word, and where its words end. */
const HEADER_BYTES = 4;

/** Room beyond what a page should hold: a word may be of 32 KB. */
const OVERLONG = 40 * 1024;

const NOTHING = new Uint8Array();

/**
 * Writes the pages of one segment, words in the order of their bytes, exactly as FTS5 does when it writes what it has
 * collected (`fts5FlushOneHash`). The format is told in SQLite's `fts5_index.c`, "Segment leaves".
 */
export class SegmentWriter {
  readonly #sink: PageSink;
  readonly #segment: number;
  readonly #pageBytes: number;
  readonly #index: DoclistIndex;
  /** Pages are numbered from 1. */
  #number = 1;
  readonly #page: Uint8Array;
  #end = HEADER_BYTES;
  /** Written at the end of the page: where its words begin, each as the distance from the one before. */
  readonly #places: Uint8Array;
  #placesEnd = 0;
  #lastPlace = 0;
  #hasWord = false;
  /** Whether a key stands on the page, or a word, after which keys are no longer the first thing there. */
  #hasKey = false;
  /** The word written last. */
  readonly #word = new Uint8Array(OVERLONG);
  #wordEnd = 0;
  /** Key of the entry written last. */
  #key = 0;
  /** The row of `entry_text_idx` that is written when its page's last doclist is over; 0 when there is none. */
  #rowPage = 1;
  #rowWord: Uint8Array = NOTHING;

  constructor(sink: PageSink, segment: number, pageBytes: number) {
    this.#sink = sink;
    this.#segment = segment;
    this.#pageBytes = pageBytes;
    this.#page = new Uint8Array(pageBytes + OVERLONG);
    this.#places = new Uint8Array(pageBytes + OVERLONG);
    this.#index = new DoclistIndex(sink, segment, pageBytes);
  }

  /** The next word, with the byte `0` before it that FTS5 puts before the words of the index proper. */
  word(bytes: Uint8Array, from: number, to: number): void {
    const length = to - from;
    if (this.#size + length + 2 >= this.#pageBytes && this.#end > HEADER_BYTES) this.#finishPage();
    this.#placesEnd = putVarint(this.#places, this.#placesEnd, this.#end - this.#lastPlace);
    this.#lastPlace = this.#end;
    const shared = this.#sharedWith(bytes, from, length);
    const kept = this.#hasWord ? shared : 0;
    if (this.#hasWord) this.#put(kept);
    else if (this.#number > 1) this.#beginRow(bytes, from, this.#wordEnd > 0 ? shared + 1 : length);
    this.#put(length - kept);
    this.#copy(bytes, from + kept, to);
    this.#keepWord(bytes, from, to, shared);
    this.#hasWord = true;
    this.#hasKey = true;
    this.#index.begin(this.#number);
  }

  /** The whole doclist of the word written last. */
  doclist(parts: readonly DoclistPart[]): void {
    if (this.#size + lengthOf(parts) + 1 <= this.#pageBytes) this.#copyAll(parts);
    else for (const [at, part] of parts.entries()) this.#spread(part, parts[at - 1]?.last ?? 0);
  }

  /** Returns the number of the last page; 0 when no word was written. */
  finish(): number {
    if (this.#end > HEADER_BYTES) this.#finishPage();
    if (this.#number > 1) this.#finishRow();
    return this.#number - 1;
  }

  get #size(): number {
    return this.#end + this.#placesEnd;
  }

  #copyAll(parts: readonly DoclistPart[]): void {
    let before = 0;
    for (const { bytes, from, to, first, last } of parts) {
      this.#put(first - before);
      this.#copy(bytes, from, to);
      before = last;
    }
  }

  /** A part of a doclist that has no room on the page. */
  #spread({ bytes, from, to, first }: DoclistPart, before: number): void {
    this.#putKey(first, first - before);
    for (let at = from; ; ) {
      at = this.#putPositions(bytes, at, to);
      if (at === to) return;
      const difference = varintAt(bytes, at);
      at = afterVarint(bytes, at);
      this.#putKey(this.#key + difference, difference);
    }
  }

  /** The key of the next entry: as it is where it is the first thing on its page. */
  #putKey(key: number, difference: number): void {
    this.#key = key;
    if (this.#hasKey) {
      this.#put(difference);
      return;
    }
    putUint16(this.#page, 0, this.#end);
    this.#index.add(key, this.#number);
    this.#put(key);
    this.#hasKey = true;
  }

  /**
   * The positions in an entry whose key was written, and all whole entries after it that have room on the page. Returns
   * where the rest begins.
   */
  #putPositions(bytes: Uint8Array, from: number, to: number): number {
    const room = this.#pageBytes - this.#size;
    let end = afterPositions(bytes, from);
    if (end - from > room) {
      this.#cut(bytes, from, end);
      return end;
    }
    let key = this.#key;
    while (end < to) {
      const next = afterPositions(bytes, afterVarint(bytes, end));
      if (next - from > room) break;
      key += varintAt(bytes, end);
      end = next;
    }
    this.#key = key;
    this.#copy(bytes, from, end);
    return end;
  }

  /** Positions that have no room: each page is filled with as many as fit, but at least one. */
  #cut(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const room = this.#pageBytes - this.#size;
      const end = to - at <= room ? to : lastFitting(bytes, at, at + room);
      this.#copy(bytes, at, end);
      at = end;
      if (this.#size >= this.#pageBytes) this.#finishPage();
    }
  }

  #finishPage(): void {
    putUint16(this.#page, 2, this.#end);
    if (this.#hasWord) this.#copy(this.#places, 0, this.#placesEnd);
    else this.#index.passPage(this.#hasKey);
    this.#sink.block(pageId(this.#segment, this.#number), this.#page.subarray(0, this.#end));
    this.#page.fill(0, 0, HEADER_BYTES);
    this.#end = HEADER_BYTES;
    this.#placesEnd = 0;
    this.#lastPlace = 0;
    this.#number++;
    this.#hasWord = false;
    this.#hasKey = false;
  }

  #beginRow(bytes: Uint8Array, from: number, length: number): void {
    this.#finishRow();
    this.#rowPage = this.#number;
    this.#rowWord = bytes.slice(from, from + length);
  }

  #finishRow(): void {
    if (this.#rowPage === 0) return;
    this.#sink.beginning(this.#rowWord, 2 * this.#rowPage + Number(this.#index.finish()));
    this.#rowPage = 0;
  }

  /** How many bytes a word has in common with the beginning of the one before it. */
  #sharedWith(bytes: Uint8Array, from: number, length: number): number {
    const most = Math.min(length, this.#wordEnd);
    let shared = 0;
    while (shared < most && this.#word[shared] === bytes[from + shared]) shared++;
    return shared;
  }

  /** @param shared bytes that are there already */
  #keepWord(bytes: Uint8Array, from: number, to: number, shared: number): void {
    for (let at = from + shared; at < to; at++) this.#word[at - from] = bytes[at] ?? 0;
    this.#wordEnd = to - from;
  }

  #put(value: number): void {
    this.#end = putVarint(this.#page, this.#end, value);
  }

  #copy(bytes: Uint8Array, from: number, to: number): void {
    this.#end = copyBytes(bytes, from, to, this.#page, this.#end);
  }
}

function putUint16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

/** Bytes of a whole doclist. */
function lengthOf(parts: readonly DoclistPart[]): number {
  let length = 0;
  let before = 0;
  for (const { from, to, first, last } of parts) {
    length += varintLength(first - before) + to - from;
    before = last;
  }
  return length;
}

/** Where the positions end that begin there with their size: that is in bytes, and doubled. */
function afterPositions(bytes: Uint8Array, at: number): number {
  return afterVarint(bytes, at) + (varintAt(bytes, at) >>> 1);
}

/** Where the last of the numbers ends that fit before `end`, or the first one that begins there. */
function lastFitting(bytes: Uint8Array, from: number, end: number): number {
  let at = afterVarint(bytes, from);
  for (let next = afterVarint(bytes, at); next <= end; next = afterVarint(bytes, at)) at = next;
  return at;
}
