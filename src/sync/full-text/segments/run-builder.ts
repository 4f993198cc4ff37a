import { type Tape, ValueType } from "../../../format/tape/tape.ts";
import { valueAt } from "../../../format/tape/tape-values.ts";
import { ForeignWords } from "./foreign-words.ts";
import { Inverter } from "./inverter.ts";
import type { Alphabet } from "./letters.ts";
import { NameLooks } from "./name-looks.ts";
import type { WordCounts } from "./shadow-tables.ts";

/** Between the first key of a run and the last. */
const MOST_KEYS = 2 ** 30;

/** What texts gave beside a run of words. */
export interface RunFacts {
  /** Where the run ends in the memory it was written into. */
  end: number;
  counts: WordCounts;
  /** Compound names, each once. Of those that the builder has given before, most are left out. */
  names: string[];
}

/** Where the texts of an entry stand in its line. */
export interface LineTexts {
  /** The line stands in `RunBuilder.lines`. */
  line: Buffer;
  tape: Tape;
  /** See `textPlaces`. */
  places: readonly number[];
}

/** Makes a run of the texts of entries in the order of their keys, and then another one. */
export class RunBuilder {
  readonly #inverter = new Inverter({
    foreign: (from, to) => this.#foreign.take(from, to),
    name: (from, to) => this.#names.look(from, to),
  });
  readonly #names = new NameLooks(this.#inverter);
  readonly #foreign: ForeignWords;
  #keys: number[] = [];
  #words: number[] = [];

  constructor(alphabet: Alphabet) {
    this.#foreign = new ForeignWords(alphabet, this.#inverter, this.#names);
  }

  /** Lines whose texts are to be added are read into it. */
  get lines(): Buffer {
    return this.#inverter.lines;
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  /** Bytes that the run takes at most. */
  get size(): number {
    return this.#inverter.size;
  }

  /**
   * Adds the texts of an entry, given as they were written; the words are those that `indexedText` would make of them.
   * Returns false, and adds nothing, when they have no room. An empty run has none for texts of more than half a million
   * words, or of more different words than it takes.
   */
  add(key: number, texts: readonly string[]): boolean {
    if (this.#isTooFar(key) || !texts.every((text) => this.#inverter.hasRoomFor(text))) return false;
    for (const [at, text] of texts.entries()) {
      if (at > 0) this.#foreign.separate();
      this.#inverter.cutText(text);
    }
    return this.#finishEntry(key);
  }

  /** The same of texts in the line they were read with. */
  addLine(key: number, { line, tape, places }: LineTexts): boolean {
    if (this.#isTooFar(key)) return false;
    for (const [at, place] of places.entries()) {
      if (at > 0) this.#foreign.separate();
      const from = line.byteOffset + tape.startAt(place);
      const to = line.byteOffset + tape.endAt(place);
      const kind = tape.typeAt(place);
      if (kind === ValueType.text) this.#inverter.cut(from, to);
      else if (kind === ValueType.escaped) this.#inverter.cutEscaped(from, to);
      else this.#inverter.cutText(String(valueAt(tape, place)));
    }
    return this.#finishEntry(key);
  }

  /** Keys are kept as differences from the first one. */
  #isTooFar(key: number): boolean {
    const [firstKey = key] = this.#keys;
    return key - firstKey > MOST_KEYS;
  }

  #finishEntry(key: number): boolean {
    const [firstKey = key] = this.#keys;
    const words = this.#inverter.finishEntry(key - firstKey);
    if (words === null) {
      if (this.isEmpty) this.#inverter.clear();
      return false;
    }
    this.#keys.push(key);
    this.#words.push(words);
    return true;
  }

  /** From now on all names are given, also those that were before. */
  forgetNames(): void {
    this.#names.forget();
  }

  /** Writes the run into memory that has at least `size` bytes, and begins anew. */
  finish(memory: Uint8Array): RunFacts {
    const [firstKey = 0] = this.#keys;
    const keys = Int32Array.from(this.#keys, (key) => key - firstKey);
    const counts = { firstKey, keys, words: Int32Array.from(this.#words) };
    this.#keys = [];
    this.#words = [];
    return { end: this.#inverter.writeRun(memory), counts, names: this.#names.take() };
  }
}
