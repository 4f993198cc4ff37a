import { SEARCH } from "../db/kinds.ts";
import type { Database } from "../db/native.ts";
import type { Index } from "../db/open.ts";
import { writing } from "../db/writing.ts";
import { forgetNames } from "./full-text/compound-names.ts";
import { giveBackPages, rewriteSegments } from "./full-text/search-merge.ts";
import { forgetRemoved } from "./full-text/search-removal.ts";
import { SearchState } from "./full-text/search-state.ts";
import type { StopSignal } from "./stop-signal.ts";
import { timeUp } from "./time-up.ts";

export interface PurgeOptions {
  /** Unix ms: stop after the first step that ends later. The next call goes on. */
  deadlineMs?: number;
  /** Stops at once, also where `deadlineMs` would let a step come to its end. */
  signal?: StopSignal | undefined;
}

/** Whether text of entries that are gone may still stand in one of the databases. */
export function needsPurge(index: Index): boolean {
  const state = new SearchState(index);
  return state.purgedSeq < state.lastRemoval;
}

/**
 * Removes the last traces of entries that are gone from both databases. Deleting rows overwrites them, but the
 * full text keeps the words of deleted entries until it is rewritten; that is done here in small steps, and
 * takes a few seconds for each 100 MB of it. Then nothing is left in the write-ahead logs either.
 *
 * Returns false when there is more to be done: the time is up, or another process is reading, which keeps the
 * write-ahead log in use.
 *
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing the full text)
 */
export function purge(index: Index, options: PurgeOptions = {}): boolean {
  const { search, database } = index;
  const { signal } = options;
  const isOver = timeUp(options);
  const state = new SearchState(index);
  const forgotten = forgetAll(index, state, { isOver, signal });
  if (forgotten === null || !rewriteSegments(search, isOver)) return false;
  if (!forgetNames(search, signal)) return false;
  for (const each of [search, database]) giveBackPages(each, timeUp({ signal }));
  if (![search, database].map((each) => emptyLog(each, signal)).every(Boolean)) return false;
  state.savePurgedSeq(forgotten);
  return true;
}

/** Takes all entries that are gone out of the full text; the number of the last removal, null when the time is up. */
function forgetAll(
  index: Index,
  state: SearchState,
  { isOver, signal }: { isOver: () => boolean; signal: StopSignal | undefined },
): number | null {
  const forget = (): boolean => {
    state.follow();
    return forgetRemoved(index.database, index.search, state, signal);
  };
  while (writing(index.search, SEARCH, forget)) {
    if (isOver()) return null;
  }
  return state.removedSeq;
}

/** Moves the write-ahead log into the database and cuts it to nothing. False while another process reads. */
function emptyLog(database: Database, signal: StopSignal | undefined): boolean {
  if (signal?.aborted) return false;
  const [result] = database.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
  return result?.busy === 0;
}
