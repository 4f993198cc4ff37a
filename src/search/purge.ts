import { type StopSignal, timeLeft } from "../runtime/cancellation.ts";
import { INDEX_DB, SEARCH_DB, transaction } from "../store/databases.ts";
import type { Database } from "../store/native.ts";
import type { Index } from "../store/open.ts";
import { removeQuarantined } from "../store/quarantine.ts";
import { removeTraces } from "../store/tables/dictionary.ts";
import { forgetRemoved } from "./feed/fts-writer.ts";
import { giveBackPages, rewriteSegments, segmentSizes } from "./feed/merge.ts";
import { SearchState } from "./feed/position.ts";

export interface PurgeOptions {
  /** Unix ms: stop after the first step that ends later. The next call goes on. */
  deadlineMs?: number;
  /** Stops at once, also where `deadlineMs` would let a step come to its end. */
  signal?: StopSignal | undefined;
}

/** `underway`: the time is up; `in_use`: another process is reading, which keeps the write-ahead log in use. */
export type PurgeState = "done" | "underway" | "in_use";

/** How far the rewriting is, in about as many bytes of the full text. */
export interface PurgeProgress {
  phase: "purge";
  done: number;
  total: number;
}

/**
 * Removes the last traces of entries that are gone from both databases. Deleting rows overwrites them, but the
 * full text keeps the words of deleted entries until it is rewritten; that is done here in small steps, and
 * takes a few seconds for each 100 MB of it. Then nothing is left in the write-ahead logs either.
 *
 * Returns false when there is more to be done: the time is up, or another process is reading.
 *
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing)
 */
export function purge(index: Index, options: PurgeOptions = {}): boolean {
  return new Purge(index).step(options) === "done";
}

/** `purge` for whoever does it piece by piece and shows how far it is. */
export class Purge {
  readonly #index: Index;
  readonly #state: SearchState;
  /** The segments that have to be rewritten: their bytes, by id. */
  readonly #before: ReadonlyMap<number, number>;

  constructor(index: Index) {
    this.#index = index;
    this.#state = new SearchState(index);
    this.#before = segmentSizes(index.search);
  }

  get progress(): PurgeProgress {
    const total = sumOf([...this.#before.values()]);
    const written = [...segmentSizes(this.#index.search)].filter(([id]) => !this.#before.has(id));
    return { phase: "purge", done: Math.min(sumOf(written.map(([, bytes]) => bytes)), total), total };
  }

  /**
   * The order matters, because each part leaves work to the next. Deleting entries from the full text leaves their words
   * in its segments; rewriting the segments removes those words; all of that frees pages, which are given back; and whatever was written still stands in the write-ahead
   * logs, which are emptied. Once the log of the full text is on the disk, nobody needs the removals any more that it has
   * carried out. A damaged index that was put aside is deleted too: nothing can be taken out of it.
   *
   * What was done is noted in the index with the removal it was done for, so that a later call, by this process or
   * another, does only the rest: after a crash, or when somebody was reading.
   *
   * @throws SQLite's errors, as `purge`
   */
  step(options: PurgeOptions): PurgeState {
    const { search, database } = this.#index;
    const left = timeLeft(options);
    const isOver = (): boolean => left() === 0;
    const removal = this.#removeAll(isOver, options.signal);
    if (removal === null || !this.#rewrite(removal, isOver)) return "underway";
    removeTraces(database, removal);
    if (![search, database].every((each) => giveBackPages(each, isOver))) return "underway";
    if (options.signal?.aborted) return "underway";
    if (![search, database].map((each) => emptyLog(each, left())).every(Boolean)) return "in_use";
    dropFollowed(database, this.#state);
    removeQuarantined(this.#index.location);
    transaction(search, SEARCH_DB, () => this.#state.savePurgedSeq(removal));
    return "done";
  }

  /** Takes all entries that are gone out of the full text. Returns the number of the last removal; null when time is up. */
  #removeAll(isOver: () => boolean, signal: StopSignal | undefined): number | null {
    const { database, search } = this.#index;
    const forget = (): boolean => {
      this.#state.follow();
      return forgetRemoved(database, search, this.#state, signal);
    };
    while (transaction(search, SEARCH_DB, forget)) {
      if (isOver()) return null;
    }
    return this.#state.removedSeq;
  }

  /** Once for each removal: otherwise texts that are added meanwhile would be rewritten again and again. */
  #rewrite(removal: number, isOver: () => boolean): boolean {
    if (this.#state.rewrittenSeq >= removal) return true;
    const { search } = this.#index;
    if (!rewriteSegments(search, isOver)) return false;
    transaction(search, SEARCH_DB, () => this.#state.saveRewrittenSeq(removal));
    return true;
  }
}

/** A purge may take minutes, and should leave part of each second to others. */
const PURGE_SLICE_MS = 500;

export function purgeSlice(index: Index, signal: StopSignal): PurgeState {
  return new Purge(index).step({ deadlineMs: Date.now() + PURGE_SLICE_MS, signal });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/**
 * Moves the write-ahead log into the database and empties it. False while another process reads: it waits for that as
 * long as the connection waits for locks, but no longer than `leftMs`, because nobody can write meanwhile.
 */
function emptyLog(database: Database, leftMs: number): boolean {
  const patienceMs = Number(database.pragma("busy_timeout", { simple: true }));
  database.pragma(`busy_timeout = ${Math.floor(Math.min(patienceMs, leftMs))}`);
  try {
    const [result] = database.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return result?.busy === 0;
  } finally {
    database.pragma(`busy_timeout = ${patienceMs}`);
  }
}

/** The last removal stays, because the numbers go on from it. */
const DROP_REMOVALS = "DELETE FROM removed_keys WHERE seq <= ? AND seq < (SELECT max(seq) FROM removed_keys)";
/** The lot of the watermark stays. */
const DROP_LOTS =
  "DELETE FROM key_lots WHERE first_key < (SELECT max(first_key) FROM key_lots WHERE first_key <= ?)";

/**
 * Deletes the removals that the full text has carried out, and the lots of keys that it has left behind. Its database has
 * to be on the disk by then: a full text that was put back to before them would have to begin anew.
 */
function dropFollowed(rows: Database, { removedSeq, watermark }: SearchState): void {
  transaction(rows, INDEX_DB, () => {
    rows.prepare(DROP_REMOVALS).run(removedSeq);
    rows.prepare(DROP_LOTS).run(watermark);
  });
}
