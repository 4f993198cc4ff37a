import { indexPageId, type PageSink } from "./page-sink.ts";
import { afterVarint, LONGEST_VARINT, putVarint, varintAt } from "./varint.ts";

/** A doclist has an index only if it fills at least so many pages of its own. */
const FEWEST_PAGES = 4;

/** The first byte of a page: whether it is the root, or has another page above it. */
const IS_ROOT = 0;
const IS_BELOW = 1;

/** The page of an index that is being written, at one height. */
class IndexPage {
  bytes: Uint8Array;
  end = 0;
  number = 0;
  /** The key written last. */
  key = 0;

  constructor(pageBytes: number) {
    this.bytes = new Uint8Array(pageBytes + 3 * LONGEST_VARINT);
  }

  /** A page on which no entry begins takes one byte here, however full this page is: so it may have to grow. */
  put(value: number): void {
    if (this.end + LONGEST_VARINT > this.bytes.length) {
      const larger = new Uint8Array(2 * this.bytes.length);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.end = putVarint(this.bytes, this.end, value);
  }

  /** @param of the page below that it begins with, or of the page of words at height 0 */
  begin(flag: number, of: number, key: number): void {
    for (const value of [flag, of, key]) this.put(value);
    this.key = key;
  }

  get firstKey(): number {
    return varintAt(this.bytes, afterVarint(this.bytes, 1));
  }
}

/**
 * The index of a doclist that spans pages: it says with which entry each page begins, so that FTS5 finds the page an entry
 * stands on. It is a tree with as many heights as it takes. It is collected for every such doclist and kept for long ones
 * only. The format is described in SQLite's `fts5_index.c`, "Segment doclist indexes".
 */
export class DoclistIndex {
  readonly #sink: PageSink;
  readonly #segment: number;
  readonly #pageBytes: number;
  readonly #heights: [IndexPage, ...IndexPage[]];
  /** Pages in a row on which no word begins. */
  #pages = 0;

  constructor(sink: PageSink, segment: number, pageBytes: number) {
    this.#sink = sink;
    this.#segment = segment;
    this.#pageBytes = pageBytes;
    this.#heights = [new IndexPage(pageBytes)];
  }

  /** A word begins on this page, with a doclist of its own. */
  begin(page: number): void {
    this.#heights[0].number = page;
  }

  /** The first entry on a page, where no word begins before it on that page. */
  add(key: number, wordPage: number): void {
    let child = wordPage;
    for (let height = 0; ; height++) {
      const page = this.#pageAt(height);
      const isFull = page.end >= this.#pageBytes;
      if (isFull) this.#finishPage(page, height);
      if (page.end === 0) page.begin(isFull ? IS_BELOW : IS_ROOT, child, key);
      else this.#append(page, key);
      if (!isFull) return;
      child = page.number;
    }
  }

  /** A page is finished on which no word begins, and which may hold no entry's beginning either. */
  passPage(hasEntry: boolean): void {
    if (!hasEntry && this.#heights[0].end > 0) this.#heights[0].put(0);
    this.#pages++;
  }

  /** The doclist is over. Returns whether its index was worth keeping. */
  finish(): boolean {
    const isKept = this.#heights[0].end > 0 && this.#pages >= FEWEST_PAGES;
    for (const [height, page] of this.#heights.entries()) {
      if (page.end === 0) break;
      if (isKept) this.#write(page, height);
      page.end = 0;
    }
    this.#pages = 0;
    return isKept;
  }

  #append(page: IndexPage, key: number): void {
    page.put(key - page.key);
    page.key = key;
  }

  /** Begins a page after this one; where it was the only one at its height, another height comes above it. */
  #finishPage(page: IndexPage, height: number): void {
    page.bytes[0] = IS_BELOW;
    this.#write(page, height);
    const above = this.#pageAt(height + 1);
    if (above.end === 0) {
      above.number = page.number;
      above.begin(IS_ROOT, page.number, page.firstKey);
    }
    page.end = 0;
    page.number++;
  }

  #pageAt(height: number): IndexPage {
    const page = this.#heights[height] ?? new IndexPage(this.#pageBytes);
    this.#heights[height] = page;
    return page;
  }

  #write({ bytes, end, number }: IndexPage, height: number): void {
    this.#sink.block(indexPageId(this.#segment, height, number), bytes.subarray(0, end));
  }
}
