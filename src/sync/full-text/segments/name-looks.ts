import { NameFinder } from "../../../format/name-finder.ts";
import { spaced } from "../../../format/words.ts";

/** Bytes of the longest word that is remembered: hardly any that holds a name is longer. */
const LONGEST_REMEMBERED = 64;

/** Places in the table by which words are recognised. */
const PLACES = 1 << 14;

/** Numbers in which words are kept, each with its length before it. */
const KEPT = 1 << 16;

const FACTOR = 0x9e3779b1 | 0;

/**
 * Finds the compound names among words that may be some. Of a hundred such words all but one or two were looked at before.
 * To recognise those takes a fifth of the time of looking at them again.
 */
export class NameLooks {
  readonly #memory: Buffer;
  readonly #view: DataView;
  readonly #finder = new NameFinder();
  readonly #found: string[] = [];
  /** By the sum of a word, where in `#kept` the last word with that sum stands; 0 for none. */
  readonly #places = new Int32Array(PLACES);
  readonly #kept = new Int32Array(KEPT);
  #keptEnd = 1;

  /** @param memory where the words stand; bytes beyond them are read, too */
  constructor(memory: Buffer) {
    this.#memory = memory;
    this.#view = new DataView(memory.buffer);
  }

  look(from: number, to: number): void {
    if (!this.#isRemembered(from, to)) this.#note(this.#finder.newBetween(this.#memory, from, to));
  }

  /** A word as it was written, with characters beyond ASCII. */
  lookForeign(from: number, to: number): void {
    if (this.#isRemembered(from, to)) return;
    this.#note(this.#finder.newIn(spaced(this.#memory.toString("utf8", from, to))));
  }

  lookRespelt(text: Buffer): void {
    this.#note(this.#finder.newBetween(text, 0, text.length));
  }

  /** All names that were found since the last time, each once. */
  take(): string[] {
    this.#finder.forget();
    this.#forget();
    return this.#found.splice(0);
  }

  #note(names: readonly string[]): void {
    for (const name of names) this.#found.push(name);
  }

  /** Whether it was looked at before; from now on it was, unless it is too long. */
  #isRemembered(from: number, to: number): boolean {
    const view = this.#view;
    if (to - from > LONGEST_REMEMBERED) return false;
    let sum = to - from;
    for (let at = from; at < to; at += 4) {
      sum = Math.imul(sum ^ (view.getInt32(at) & maskOf(to - at)), FACTOR);
      sum ^= sum >>> 15;
    }
    const place = sum & (PLACES - 1);
    if (this.#isKept(from, to, this.#places[place] ?? 0)) return true;
    this.#places[place] = this.#keep(from, to);
    return false;
  }

  #isKept(from: number, to: number, place: number): boolean {
    const view = this.#view;
    if (place === 0 || this.#kept[place] !== to - from) return false;
    for (let at = from, each = place + 1; at < to; at += 4, each++) {
      if (this.#kept[each] !== (view.getInt32(at) & maskOf(to - at))) return false;
    }
    return true;
  }

  /** Returns where it is kept. */
  #keep(from: number, to: number): number {
    const view = this.#view;
    if (this.#keptEnd + LONGEST_REMEMBERED > KEPT) this.#forget();
    const start = this.#keptEnd;
    this.#kept[this.#keptEnd++] = to - from;
    for (let at = from; at < to; at += 4) this.#kept[this.#keptEnd++] = view.getInt32(at) & maskOf(to - at);
    return start;
  }

  #forget(): void {
    this.#places.fill(0);
    this.#keptEnd = 1;
  }
}

/** A mask that keeps the first so many of four bytes, the first one the highest. */
function maskOf(length: number): number {
  if (length >= 4) return -1;
  return length <= 0 ? 0 : -1 << (32 - 8 * length);
}
