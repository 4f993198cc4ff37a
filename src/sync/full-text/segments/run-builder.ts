import { KIND, type LineTape } from "../../../format/line-tape.ts";
import { valueAt } from "../../../format/tape-values.ts";
import type { WordCounts } from "./add-segment.ts";
import type { Alphabet } from "./letters.ts";
import { NameLooks } from "./name-looks.ts";
import { Postings } from "./postings.ts";
import { TextRoom } from "./text-room.ts";
import { Tokenizer } from "./tokenizer.ts";

/** Texts of up to so many bytes are written into the same memory, one after the other. */
const USUAL_TEXT = 256 * 1024;

/** Between the first key of a run and the last. */
const MOST_KEYS = 2 ** 30;

/** What texts gave beside a run of words. */
export interface RunFacts {
  /** Where the run ends in the memory it was written into. */
  end: number;
  counts: WordCounts;
  /** Compound names, each once. */
  names: string[];
}

/** Where the texts of an entry stand in its line. */
export interface LineTexts {
  /** The line is read into it. */
  room: TextRoom;
  lineStart: number;
  tape: LineTape;
  /** See `textPlaces`. */
  places: readonly number[];
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
   * Adds the texts of an entry, given as they were written; the words are those that `indexedText` would make of them.
   * Returns false, and adds nothing, when they have no room. An empty run has none for texts of more than half a million
   * words, or of more different words than it takes.
   */
  add(key: number, texts: readonly string[]): boolean {
    if (this.#isTooFar(key)) return false;
    for (const [at, text] of texts.entries()) {
      if (at > 0) this.#tokenizer.separate();
      this.#addText(text);
    }
    return this.#finishEntry(key);
  }

  /** The same of texts in the line they were read with. */
  addLine(key: number, texts: LineTexts): boolean {
    if (this.#isTooFar(key)) return false;
    for (const [at, place] of texts.places.entries()) {
      if (at > 0) this.#tokenizer.separate();
      this.#addPlace(place, texts);
    }
    return this.#finishEntry(key);
  }

  /** Keys are kept as differences from the first one. */
  #isTooFar(key: number): boolean {
    const [firstKey = key] = this.#keys;
    return key - firstKey > MOST_KEYS;
  }

  #finishEntry(key: number): boolean {
    this.#tokenizer.flush();
    const [firstKey = key] = this.#keys;
    const added = this.#postings.finish(key - firstKey);
    if (added === "no room") {
      if (this.isEmpty) this.#postings.clear();
      return false;
    }
    this.#keys.push(key);
    this.#words.push(added.words);
    return true;
  }

  #addPlace(place: number, { tape, room, lineStart }: LineTexts): void {
    const from = lineStart + tape.startAt(place);
    const to = lineStart + tape.endAt(place);
    switch (tape.kindAt(place)) {
      case KIND.text:
        this.#tokenizer.add(room, from, to);
        break;
      case KIND.escaped:
        this.#tokenizer.addEscaped(room, from, to);
        break;
      default:
        this.#addText(String(valueAt(tape, place)));
    }
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
