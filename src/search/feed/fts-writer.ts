import { LONGEST_LINE, STEP_BYTES } from "../../files/lines.ts";
import { INDEXED } from "../../format/searchable.ts";
import { textsIn } from "../../format/tape/line-texts.ts";
import { Tape } from "../../format/tape/tape.ts";
import type { StopSignal } from "../../runtime/cancellation.ts";
import type { Journal } from "../../runtime/observer.ts";
import { emptyFullText } from "../../store/databases.ts";
import type { Database, Statement } from "../../store/native.ts";
import { loadCursor } from "../../store/tables/cursors.ts";
import { IndexedText } from "../fts/indexed-text.ts";
import { KEYS_PER_BLOCK, NO_TIME, rowidsBetween } from "../fts/key-blocks.ts";
import { lengthOf, type MissedKeys, readRun, type WantedEntry } from "./pending.ts";
import type { SearchState } from "./position.ts";
import type { HandedText } from "./text-blocks.ts";

/** How a text on which the process that reads it dies is kept from ending every later one. @internal */
export interface ReadingOptions {
  /** Told what is about to be read; the place is the key of the first entry. */
  journal?: Journal;
  /** What is read at this place is left out of the full text. */
  leaveOut?: { realPath: string; at: number } | null;
}

/** Writes the texts of entries into the full text, with the parts of their identifiers and the times of their blocks of keys. */
export class FullTextWriter {
  #added = 0;
  readonly #rows: Database;
  readonly #missed: MissedKeys;
  readonly #insert: Statement;
  readonly #indexed = new IndexedText();
  readonly #blocks: KeyBlocks;
  readonly #reading: ReadingOptions;
  readonly #textReading = { tape: new Tape(), limits: INDEXED };
  /** For lines longer than a step of reading. One for each would be memory that is not collected in time. */
  #roomForLong: Buffer | null = null;

  constructor(rows: Database, search: Database, missed: MissedKeys, reading: ReadingOptions) {
    this.#reading = reading;
    this.#rows = rows;
    this.#missed = missed;
    this.#insert = search.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
    this.#blocks = new KeyBlocks(search);
  }

  /** Entries whose text was written. */
  get added(): number {
    return this.#added;
  }

  /** To be called at the beginning of each transaction. */
  begin(): void {
    this.#blocks.begin();
  }

  /** To be called before the end of each transaction. */
  finish(): void {
    this.#blocks.write();
  }

  /** Takes in what was handed over of an entry. */
  addHanded({ key, timestamp, text }: HandedText): void {
    this.#blocks.note(key, timestamp);
    if (text === "no room") this.#missed.add(key);
    else if (text !== null) this.#insertText(key, this.#indexed.complete(text));
  }

  /** Reads the texts of a run of entries from their file. What cannot be read is noted as missed. */
  addRun(run: WantedEntry[]): void {
    const { journal, leaveOut } = this.#reading;
    const { realPath, key: at } = run[0] ?? { realPath: "", key: 0 };
    if (leaveOut?.at === at && leaveOut.realPath === realPath) return;
    journal?.begin(realPath, at);
    try {
      this.#readAndAdd(run);
    } finally {
      journal?.end();
    }
  }

  /** Lets go of the memory for long lines; the next of them takes it again. */
  release(): void {
    this.#roomForLong = null;
  }

  #readAndAdd(run: WantedEntry[]): void {
    const read = readRun(run, loadCursor(this.#rows, run[0]?.realPath ?? ""), this.#roomFor(run));
    for (const wanted of run) {
      this.#blocks.note(wanted.key, wanted.timestamp);
      const line = read?.(wanted) ?? null;
      if (read === null) this.#missed.add(wanted.key);
      else if (line !== null) {
        this.#insertText(wanted.key, this.#indexed.of(textsIn(line, wanted, this.#textReading) ?? []));
      }
    }
    this.#textReading.tape.release();
  }

  /** Of memory for the longest line, only what is filled is taken from the system. */
  #roomFor(run: WantedEntry[]): Buffer | undefined {
    if (lengthOf(run) <= STEP_BYTES) return undefined;
    this.#roomForLong ??= Buffer.allocUnsafe(LONGEST_LINE);
    return this.#roomForLong;
  }

  #insertText(key: number, utf8: Buffer | null): void {
    if (utf8 === null) return;
    this.#insert.run(key, utf8);
    this.#added++;
  }
}

const WRITE_BLOCK = `INSERT INTO key_blocks (block, oldest, newest) VALUES (?, ?, ?)
  ON CONFLICT (block) DO UPDATE SET oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)`;

/** Keeps, for each block of entry keys, when the oldest and the newest of its entries were written. Unix ms. */
class KeyBlocks {
  readonly #write: Statement;
  readonly #noted = new Map<number, { oldest: number; newest: number }>();

  constructor(search: Database) {
    this.#write = search.prepare(WRITE_BLOCK);
  }

  /** To be called at the beginning of each transaction: what was noted in one that was undone is forgotten. */
  begin(): void {
    this.#noted.clear();
  }

  /** `timestamp` in Unix ms. */
  note(key: number, timestamp: number | null): void {
    const time = timestamp ?? NO_TIME;
    const block = Math.floor(key / KEYS_PER_BLOCK);
    const { oldest, newest } = this.#noted.get(block) ?? { oldest: time, newest: time };
    this.#noted.set(block, { oldest: Math.min(oldest, time), newest: Math.max(newest, time) });
  }

  /** To be called at the end of each transaction. */
  write(): void {
    for (const [block, { oldest, newest }] of this.#noted) this.#write.run(block, oldest, newest);
  }
}

/** Removals looked at in one transaction. */
const REMOVALS = 100;

/** Entries taken out in one transaction, at a fifth of a millisecond each. */
const ENTRIES = 1000;

/** Keys taken out by one statement. */
const KEYS = 250;

const FORGET = `DELETE FROM entry_text WHERE ${rowidsBetween("entry_text")}`;

const NEXT = `SELECT seq, first_key, last_key FROM removed_keys WHERE seq > ? ORDER BY seq LIMIT ${REMOVALS}`;

/**
 * Takes entries that are gone out of the full text, some at a time. Returns whether it did anything; then there
 * may be more to do.
 */
export function forgetRemoved(
  rows: Database,
  search: Database,
  state: SearchState,
  signal?: StopSignal,
): boolean {
  const removals = rows.prepare(NEXT).raw().all(state.removedSeq) as Removal[];
  const last = removals.at(-1);
  if (last === undefined) return false;
  if (nothingLeft(rows, state.watermark)) {
    // Far cheaper than one deletion for each entry, and what a rebuild comes to.
    emptyFullText(search);
    state.saveRemovedSeq(last[0]);
  } else {
    state.saveRemovedSeq(forgetSome(search, removals, state, signal));
  }
  return true;
}

type Removal = [seq: number, first: number, last: number];

/**
 * Returns the last removal that was carried out wholly. One that was carried out in part is begun again the next time; the
 * entries of it that are gone already cost nothing then.
 */
function forgetSome(
  search: Database,
  removals: Removal[],
  { watermark, removedSeq }: SearchState,
  signal: StopSignal | undefined,
): number {
  const forget = search.prepare(FORGET);
  let done = removedSeq;
  let entries = 0;
  for (const [seq, first, last] of removals) {
    for (let from = first; from <= Math.min(last, watermark); from += KEYS) {
      if (entries >= ENTRIES || signal?.aborted) return done;
      entries += forget.run(from, Math.min(from + KEYS - 1, last, watermark)).changes;
    }
    done = seq;
  }
  return done;
}

function nothingLeft(rows: Database, watermark: number): boolean {
  return rows.prepare("SELECT 1 FROM entries WHERE key <= ? LIMIT 1").get(watermark) === undefined;
}
