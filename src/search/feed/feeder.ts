import { type StopSignal, timeUp } from "../../runtime/cancellation.ts";
import type { SyncProgress } from "../../runtime/observer.ts";
import { SEARCH_DB, transaction } from "../../store/databases.ts";
import type { Database } from "../../store/native.ts";
import type { Index } from "../../store/open.ts";
import { FullTextWriter, forgetRemoved, type ReadingOptions } from "./fts-writer.ts";
import type { HandedTexts } from "./handover.ts";
import { isCrowded, LITTLE, type MergeAmount, mergeSegments } from "./merge.ts";
import {
  BATCH_BYTES,
  BATCH_ENTRIES,
  MissedKeys,
  runFrom,
  WantedEntries,
  type WantedEntry,
} from "./pending.ts";
import { SearchState } from "./position.ts";
import type { FilledBlock, TextBlocks } from "./text-blocks.ts";

export interface FeedOptions {
  /** Unix ms: stop at the first batch boundary after it. */
  deadlineMs?: number;
  /** Stops in the middle of a batch too: what is done of it is kept. */
  signal?: StopSignal;
  onProgress?: (progress: SyncProgress) => void;
  /** What to merge when there is nothing left to add, as far as there is time for it; everything unless told. */
  merge?: MergeAmount;
  /** Whether to try again what was missed before, once all the rest is done; true unless told. */
  retryMissed?: boolean;
  /** The last key to take in, for those who are handed the texts of later ones. @internal */
  upTo?: number;
}

export interface FeedResult {
  /** There is nothing left that could be done now. */
  complete: boolean;
  /** Entries that are not searchable yet; where they are many, their number is estimated by their keys. */
  behind: number;
  /** Entries that have become searchable. */
  added: number;
}

const ONE_STEP: MergeAmount = { pages: 512, steps: 1 };
const SOME_STEPS: MergeAmount = { pages: 512, steps: 4 };

/** Handed over texts of one transaction: each transaction leaves a segment, and one more for every 4 MB or so. */
const HANDED_BYTES = 16 * 1024 * 1024;

/**
 * Brings the full text up to date with the rows: forgets entries that are gone, then reads the texts of new
 * ones from the session files. Several processes may do this at once; each batch re-reads the watermark.
 *
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing the full text)
 */
export function feedSearch(index: Index, options: FeedOptions = {}): FeedResult {
  return new SearchFeeder(index).run(options);
}

/**
 * `feedSearch` for whoever does it slice by slice: what was prepared and learnt in one run serves the next.
 *
 * @internal
 */
export class SearchFeeder {
  /** Entries added since everything was merged last. */
  #toMerge = 0;
  #upTo = Number.MAX_SAFE_INTEGER;
  readonly #rows: Database;
  readonly #search: Database;
  readonly #state: SearchState;
  readonly #missed: MissedKeys;
  readonly #wanted: WantedEntries;
  readonly #texts: FullTextWriter;
  /**
   * What was missed has still to be tried again from this key on. It begins again at the first key only when everything
   * is done, in however many slices that takes: trying more often makes no file readable.
   */
  #retryFrom = 0;
  #signal: StopSignal | undefined;

  constructor(index: Index, reading: ReadingOptions = {}) {
    this.#rows = index.database;
    this.#search = index.search;
    this.#state = new SearchState(index);
    this.#missed = new MissedKeys(this.#search);
    this.#wanted = new WantedEntries(this.#rows);
    this.#texts = new FullTextWriter(this.#rows, this.#search, this.#missed, reading);
  }

  run(options: FeedOptions = {}): FeedResult {
    const before = this.added;
    this.#signal = options.signal;
    this.#upTo = options.upTo ?? Number.MAX_SAFE_INTEGER;
    const isOver = timeUp(options);
    let more = true;
    while (more && !isOver()) {
      if (!this.#hasRoom()) continue;
      more = this.#batch(options.retryMissed ?? true);
      options.onProgress?.(this.#progress());
    }
    const added = this.added - before;
    this.#toMerge += added;
    if (!more) {
      this.#retryFrom = 0;
      this.#texts.release();
    }
    if (!more && this.#toMerge > 0 && mergeSegments(this.#search, options.merge, isOver)) this.#toMerge = 0;
    return { complete: !more, behind: this.#state.behind() + this.#missed.count(), added };
  }

  /** Entries added in all runs. */
  get added(): number {
    return this.#texts.added;
  }

  /** Words of entries that are gone may still stand in a database. */
  needsPurge(): boolean {
    return this.#state.needsPurge();
  }

  /** Whether another batch may be added. If not, it has just merged a step to make room, and may be asked again. */
  #hasRoom(): boolean {
    return !isCrowded(this.#search) || mergeSegments(this.#search, ONE_STEP);
  }

  /**
   * Takes in texts that were handed over, in one transaction: batch after batch, until there is no next one or it has
   * taken enough. A batch that no longer is what the index holds is passed over.
   *
   * Returns the first key of a batch before which entries are lacking: they have to be read first. Else null.
   */
  addHanded(texts: HandedTexts, onProgress?: (progress: SyncProgress) => void): number | null {
    const lacking = this.#write(() => this.#takeHanded(texts));
    // In small steps, because the texts of the rows that are written meanwhile have to wait.
    if (isCrowded(this.#search)) mergeSegments(this.#search, SOME_STEPS);
    onProgress?.(this.#progress());
    return lacking;
  }

  #takeHanded(texts: HandedTexts): number | null {
    while (forgetRemoved(this.#rows, this.#search, this.#state));
    let bytes = 0;
    for (let batch = texts.next(); batch !== undefined && bytes < HANDED_BYTES; batch = texts.next()) {
      if (this.#state.lacksBefore(batch.first)) return batch.first;
      const isWanted = batch.last > this.#state.watermark && this.#state.holds(batch);
      for (const block of batch.blocks) {
        bytes += block.end;
        if (isWanted) this.#addBlock(texts.blocks, block);
        texts.blocks.giveBack(block);
      }
      texts.taken();
      if (isWanted) this.#state.saveWatermark(batch.last);
    }
    return null;
  }

  #addBlock(blocks: TextBlocks, block: FilledBlock): void {
    const { watermark } = this.#state;
    for (const text of blocks.read(block)) if (text.key > watermark) this.#texts.addHanded(text);
  }

  /** One transaction. Returns whether there may be more to do. */
  #batch(retryMissed: boolean): boolean {
    const hasWork = this.#state.hasWork(this.#upTo);
    if (!hasWork && !(retryMissed && this.#missed.any(this.#retryFrom))) return false;
    return this.#write(() => this.#work(!hasWork));
  }

  #progress(): SyncProgress {
    const { watermark, lastKey } = this.#state;
    return { phase: "search", done: Math.min(watermark, lastKey), total: lastKey };
  }

  /** One transaction. Returns what the work in it does. */
  #write<T>(work: () => T): T {
    return transaction(this.#search, SEARCH_DB, () => {
      this.#state.follow();
      this.#texts.begin();
      const done = work();
      this.#texts.finish();
      return done;
    });
  }

  #work(triesMissed: boolean): boolean {
    if (forgetRemoved(this.#rows, this.#search, this.#state, this.#signal)) return true;
    if (!triesMissed) return this.#addNext() || this.#missed.any(this.#retryFrom);
    this.#retryMissed();
    return true;
  }

  #addNext(): boolean {
    const wanted = this.#wanted.between(this.#state.watermark + 1, this.#upTo);
    const done = this.#addSome(wanted);
    const last = wanted[done - 1];
    if (last === undefined) return false;
    this.#state.saveWatermark(last.key);
    return done < wanted.length || wanted.length === BATCH_ENTRIES;
  }

  /** A batch of what was missed: there may be as much of it as of anything else. */
  #retryMissed(): void {
    if (this.#signal?.aborted) return;
    const taken = this.#missed.take(this.#retryFrom, BATCH_ENTRIES);
    const wanted = taken.flatMap(([first, last]) => this.#wanted.between(first, last));
    const untried = wanted[this.#addSome(wanted)];
    const end = taken.at(-1)?.[1] ?? this.#retryFrom;
    this.#retryFrom = untried?.key ?? end + 1;
    this.#missed.putBack(taken, this.#retryFrom);
  }

  /** Adds entries until a batch is full, one run at least; returns how many were dealt with. */
  #addSome(wanted: WantedEntry[]): number {
    let bytes = 0;
    let done = 0;
    while (done < wanted.length && bytes < BATCH_BYTES) {
      const run = runFrom(wanted, done);
      for (const { length } of run) bytes += length;
      this.#texts.addRun(run);
      done += run.length;
      if (this.#signal?.aborted) break;
    }
    return done;
  }
}

/** How long the worker works between two looks at its messages. */
export const SLICE_MS = 150;

/** What a slice in the background came to. */
export interface Fed extends FeedResult {
  /** Words of entries that are gone may still stand in a database. */
  needsPurge: boolean;
  /** A file with an entry that is left out, because reading it has ended the thread twice. */
  leftOut?: string;
}

/**
 * Feeds for 150 ms.
 *
 * @internal
 */
export function feedSlice(feeder: SearchFeeder, signal: StopSignal): Fed {
  const result = feeder.run({ deadlineMs: Date.now() + SLICE_MS, merge: LITTLE, signal });
  return { ...result, needsPurge: result.complete && feeder.needsPurge() };
}
