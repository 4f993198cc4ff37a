import type { Database } from "../../db/native.ts";
import { STEP_BYTES } from "../../file/lines.ts";
import { BETWEEN_TEXTS, indexedTexts } from "../../format/indexed-text.ts";
import { NameFinder } from "../../format/name-finder.ts";
import { loadCursor } from "../cursor.ts";
import { readRun, runFrom } from "./entry-run.ts";
import { BATCH_BYTES, type PlaceRow, WantedEntries, type WantedEntry } from "./wanted-entries.ts";

/** What was read ahead of a batch of entries, but for the texts themselves. */
export interface TextFacts {
  /** Of each entry, in the order of the keys: key, file id, offset and length. */
  places: Float64Array<ArrayBuffer>;
  entryIds: (string | null)[];
  /** Where the text of each entry ends; `NO_TEXT` for one that says nothing. Each begins where the one before it ends. */
  ends: Int32Array<ArrayBuffer>;
  /** The compound names of all texts, each once. */
  names: string[];
}

export const NO_TEXT = -1;

/** The texts of a batch of entries, read ahead by another thread. */
export interface TextsAhead extends TextFacts {
  /** All texts, one after the other, in UTF-8: what strings cost to be handed over would eat up the gain. */
  utf8: SharedArrayBuffer;
}

/** Room for the texts of a batch; a batch ends where it does. */
export const ROOM_BYTES = BATCH_BYTES;

/** Numbers of one entry in `places`. */
const PLACE = 4;

/** Whether texts are those of these very entries, and of no others. */
export function areOf({ places, entryIds }: TextFacts, entries: readonly PlaceRow[]): boolean {
  if (entries.length !== entryIds.length) return false;
  return entries.every(([key, fileId, offset, length, entryId], at) => {
    const place = at * PLACE;
    return (
      key === places[place] &&
      fileId === places[place + 1] &&
      offset === places[place + 2] &&
      length === places[place + 3] &&
      entryId === entryIds[at]
    );
  });
}

export function lastKeyOf({ places }: TextFacts): number | undefined {
  return places.at(-PLACE);
}

function placeOf({ key, fileId, offset, length }: WantedEntry): [number, number, number, number] {
  return [key, fileId, offset, length];
}

/** Reads the texts of entries from their session files, proved by the Cursors as whoever adds them would. */
export class TextsReader {
  readonly #rows: Database;
  readonly #wanted: WantedEntries;
  readonly #finder = new NameFinder();
  /** Lines are read into it again and again. */
  readonly #lines = Buffer.allocUnsafe(STEP_BYTES);

  constructor(rows: Database) {
    this.#rows = rows;
    this.#wanted = new WantedEntries(rows);
  }

  /**
   * The batch after a key. It ends before an entry that cannot be read, before a text that finds no room, and before a
   * line longer than a step of reading: those are left to the thread that adds texts, so that never two threads hold a
   * long line each.
   */
  after(key: number, room: SharedArrayBuffer): TextFacts {
    const wanted = this.#wanted.after(key);
    const ends: number[] = [];
    const names: string[] = [];
    // Each batch gives all its names, whatever became of those before.
    this.#finder.forget();
    const writer = new TextWriter(room);
    for (const texts of this.#textsOf(wanted)) {
      const utf8 = writer.write(texts);
      if (utf8 === null) break;
      for (const name of this.#finder.newIn(utf8)) names.push(name);
      ends.push(texts.length === 0 ? NO_TEXT : writer.end);
    }
    const read = wanted.slice(0, ends.length);
    return {
      places: new Float64Array(read.flatMap(placeOf)),
      entryIds: read.map(({ entryId }) => entryId),
      ends: new Int32Array(ends),
      names,
    };
  }

  /** The texts of each entry, until the batch ends; none for one that says nothing. */
  *#textsOf(wanted: WantedEntry[]): Generator<string[]> {
    for (let done = 0, bytes = 0; done < wanted.length && bytes < BATCH_BYTES; ) {
      const run = runFrom(wanted, done);
      const length = run.reduce((sum, each) => sum + each.length, 0);
      if (length > STEP_BYTES) return;
      const read = readRun(run, loadCursor(this.#rows, run[0]?.realPath ?? ""), this.#lines);
      if (read === null) return;
      for (const each of run) {
        const entry = read(each);
        yield entry === null ? [] : indexedTexts(entry);
      }
      done += run.length;
      bytes += length;
    }
  }
}

/** Writes texts into a room, one entry after the other, as `indexedText` puts them together. */
class TextWriter {
  readonly #room: Buffer;
  /** Where what is written ends. */
  end = 0;

  constructor(room: SharedArrayBuffer) {
    this.#room = Buffer.from(room);
  }

  /** Writes the texts of one entry and returns what it wrote; null, and nothing is written, when there is no room. */
  write(texts: readonly string[]): Buffer | null {
    if (!this.#hasRoomFor(texts)) return null;
    const start = this.end;
    texts.forEach((text, at) => {
      if (at > 0) this.end += this.#room.write(BETWEEN_TEXTS, this.end);
      this.end += this.#room.write(text, this.end);
    });
    return this.#room.subarray(start, this.end);
  }

  /**
   * Counting the bytes takes as long as writing them and is hardly ever needed: a UTF-16 unit comes to three at most.
   */
  #hasRoomFor(texts: readonly string[]): boolean {
    const room = this.#room.length - this.end;
    const between = Buffer.byteLength(BETWEEN_TEXTS) * Math.max(0, texts.length - 1);
    const units = texts.reduce((sum, { length }) => sum + length, 0);
    if (between + 3 * units <= room) return true;
    return between + texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= room;
  }
}
