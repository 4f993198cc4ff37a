import {
  SyncRun as Run,
  type SyncOptions,
  type SyncResult,
  type SyncRunOptions,
  syncAll as sync,
} from "../indexing/sync-run.ts";
import { type FeedOptions, type FeedResult, feedSearch as feed } from "../search/feed/feeder.ts";
import { needsPurge as needs } from "../search/feed/position.ts";
import { type PurgeOptions, purge as purgeNow } from "../search/purge.ts";
import { SearchFeed as Feed } from "../search/worker-client.ts";
import type { IndexLocation } from "../store/location.ts";
import type { Index } from "../store/open.ts";
import { assertWritable, checkLocation, inIndex, intoIndex } from "./open-index.ts";
import {
  arrayOf,
  callback,
  check,
  count,
  deadline,
  flag,
  oneOf,
  options as optionsOf,
  path,
  record,
  rootsOf,
  signal,
  wholeTime,
  withAnswersChecked,
} from "./validate.ts";

const ENDS = { deadlineMs: deadline, signal };
const ROOTS = arrayOf(path);
const RUN = {
  rebuild: flag,
  isExcluded: callback,
  onProgress: callback,
  now: callback,
};
const RUN_OPTIONS = optionsOf(RUN);
const SYNC = optionsOf({ ...RUN, ...ENDS });
const FEED = optionsOf({
  ...ENDS,
  onProgress: callback,
  merge: record({ pages: oneOf([64, 512]), steps: count }),
  retryMissed: flag,
});
const PURGE = optionsOf(ENDS);

/**
 * Brings the index up to date with everything below the roots: finds the files, removes what is gone, reads what is
 * new; the session files are never written to. Synchronous, also while it waits for a file that is being rewritten
 * (until a quarter of a second after its last write); `SyncRun` does the same step by step. The full text is then
 * brought up to date by `feedSearch`.
 *
 * Files and folders that cannot be read are no errors, but `troubles` of the result. A root that does not exist is
 * passed over, and what the index holds of it stays.
 *
 * @param roots absolute paths of folders
 * @throws SessionDbError `usage`; `busy` when another process is writing; `index_corrupt`, `io`
 */
export function syncAll(index: Index, roots: string[], options: SyncOptions = {}): SyncResult {
  check("roots", ROOTS, roots);
  check("options", SYNC, options);
  const asking = askingSafely(options);
  return intoIndex(index, () => {
    tryOut(asking, roots);
    return sync(index, rootsOf(roots), asking);
  });
}

/** The options, with functions that throw where they return something that makes no sense. */
function askingSafely<Options extends SyncRunOptions>(options: Options): Options {
  return withAnswersChecked("options", options, { isExcluded: flag, now: wholeTime });
}

/** Asks before anything is done: a rebuild forgets what there is before it would. @throws SessionDbError `usage` */
function tryOut({ isExcluded, now }: SyncRunOptions, [root]: readonly string[]): void {
  now?.();
  if (root !== undefined) isExcluded?.(root);
}

/** One sync of everything, in steps short enough to do something else in between. */
export class SyncRun extends Run {
  readonly #index: Index;

  /** @throws SessionDbError as `syncAll` */
  constructor(index: Index, roots: string[], options: SyncRunOptions = {}) {
    check("roots", ROOTS, roots);
    check("options", RUN_OPTIONS, options);
    assertWritable(index);
    const asking = askingSafely(options);
    tryOut(asking, roots);
    // A function of the caller's may have closed it.
    assertWritable(index);
    super(index, rootsOf(roots), asking);
    this.#index = index;
  }

  /**
   * Does one step, at most one transaction of about 4 MB. Returns whether there is more to do.
   *
   * @throws SessionDbError as `syncAll`; the step can be tried again when it was `busy`
   */
  override step(): boolean {
    return intoIndex(this.#index, () => super.step());
  }

  /** The result so far. @throws SessionDbError as `syncAll` */
  override result(): SyncResult {
    return inIndex(this.#index, () => super.result());
  }
}

/**
 * Brings the full text up to date with the rows: forgets entries that are gone, then reads the texts of new ones from
 * the session files. Several processes may do this at once.
 *
 * @throws SessionDbError `usage`; `busy` when another process is writing the full text; `index_corrupt`, `io`
 */
export function feedSearch(index: Index, options: FeedOptions = {}): FeedResult {
  check("options", FEED, options);
  return intoIndex(index, () => feed(index, options));
}

/**
 * Fills the full text in a thread of its own while this one writes rows: it takes several times as long as the rows. It
 * follows the rows until it is told that no more will come, or to stop. Where no further thread can be started, this
 * one fills it between two turns of its event loop, for up to 150 ms at once.
 */
export class SearchFeed extends Feed {
  /** @throws SessionDbError `usage` */
  constructor(location: IndexLocation) {
    checkLocation(location);
    super(location);
  }
}

/**
 * Whether `purge` has something to do: text of entries that are gone may still stand in one of the databases, or notes
 * about new entries are to be cleared away.
 */
export function needsPurge(index: Index): boolean {
  return inIndex(index, () => needs(index));
}

/**
 * Removes the last traces of entries that are gone from both databases. Deleting rows overwrites them, but the full
 * text keeps the words of deleted entries until it is rewritten. That is done here in small steps, and takes a few
 * seconds for each 100 MB of it. After that nothing is left in the write-ahead logs either.
 *
 * Returns false when there is more to be done: the time is up, or another process is reading, which keeps the
 * write-ahead log in use.
 *
 * @throws SessionDbError `usage`; `busy` when another process is writing the full text; `index_corrupt`, `io`
 */
export function purge(index: Index, options: PurgeOptions = {}): boolean {
  check("options", PURGE, options);
  return intoIndex(index, () => purgeNow(index, options));
}
