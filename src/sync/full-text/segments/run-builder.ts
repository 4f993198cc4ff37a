import type { WordCounts } from "./add-segment.ts";
import type { Alphabet } from "./letters.ts";
import { NameLooks } from "./name-looks.ts";
import { Postings } from "./postings.ts";
import { TextRoom } from "./text-room.ts";
import { Tokenizer } from "./tokenizer.ts";

/** Texts of up to so many bytes are written into the same memory, one after the other. */
const USUAL_TEXT = 256 * 1024;

/** Keys are kept as differences from the first one, of up to so much. */
const MOST_KEYS = 2 ** 30;

/** What texts came to beside a run of words. */
export interface RunFacts {
  /** Where the run ends in the memory it was written into. */
  end: number;
  counts: WordCounts;
  /** Compound names, each once. */
  names: string[];
}

/** Makes a run of the texts of entries in the order of their keys, and then another one. */
export class RunBuilder {
  readonly #postings = new Postings();
  readonly #names = new NameLooks();
  readonly #tokenizer: Tokenizer;
  readonly #room = new TextRoom(USUAL_TEXT);
  #keys: number[] = [];
  #words: number[] = [];

  constructor(alphabet: Alphabet) {
    this.#tokenizer = new Tokenizer(alphabet, { words: this.#postings, names: this.#names });
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  /** Bytes that the run takes at most. */
  get size(): number {
    return this.#postings.size;
  }

  /**
   * Adds the texts of an entry as they were written, as `indexedText` would respell them and put them together. False, and nothing is added, when they have no room;
   * in an empty run that is so for texts of more than half a million words, or of more different ones than it takes.
   */
  add(key: number, texts: readonly string[]): boolean {
    const [firstKey = key] = this.#keys;
    if (key - firstKey > MOST_KEYS) return false;
    for (const [at, text] of texts.entries()) {
      if (at > 0) this.#tokenizer.separate();
      this.#addText(text);
    }
    this.#tokenizer.flush();
    const added = this.#postings.finish(key - firstKey);
    if (added === "no room") {
      if (this.isEmpty) this.#postings.clear();
      return false;
    }
    this.#keys.push(key);
    this.#words.push(added.words);
    return true;
  }

  #addText(text: string): void {
    const isUsual = this.#room.hasRoomFor(text);
    if (isUsual) this.#room.write(text);
    const room = isUsual ? this.#room : TextRoom.of(text);
    this.#tokenizer.add(room, 0, room.end);
  }

  /** Writes the run into memory that has at least `size` bytes, and begins anew. */
  finish(memory: Uint8Array): RunFacts {
    const [firstKey = 0] = this.#keys;
    const keys = Int32Array.from(this.#keys, (key) => key - firstKey);
    const counts = { firstKey, keys, words: Int32Array.from(this.#words) };
    this.#keys = [];
    this.#words = [];
    return { end: this.#postings.writeTo(memory), counts, names: this.#names.take() };
  }
}
