import { setTimeout } from "node:timers/promises";
import { isSqliteBusy, isSqliteError } from "../errors.ts";
import type { TextSink } from "../indexing/text-sink.ts";
import type { SyncProgress } from "../runtime/observer.ts";
import type { FeedOptions, FeedResult } from "../search/feed/feeder.ts";
import { SearchFeed } from "../search/worker-client.ts";
import type { Database } from "../store/native.ts";
import { breathe, busy, PATIENCE_MS, TOLERATED_SHARE, type Work } from "./steps.ts";

/** How long the full text is fed before the clock and Ctrl-C are checked again. */
const SLICE_MS = 150;
/** How long to wait for the worker before the progress is drawn, and the signal is checked, again. */
const LOOK_MS = 50;

export interface FeedWait {
  isQuestion?: boolean;
  /** Steady ms: what is not done by then is left to others. */
  until?: number;
}

/**
 * Runs `rows` here, which hands the texts to a worker that fills the full text; resolves when both are done.
 *
 * @throws Interrupted
 */
export async function withFeed<T>(
  work: Work,
  rows: (texts: TextSink) => Promise<T>,
  { isQuestion = false, until = Number.POSITIVE_INFINITY }: FeedWait = {},
): Promise<T> {
  const feed = new SearchFeed(work.index.location);
  feed.onProgress((report) => work.progress.update(report));
  // Handled at once: while the rows are being read, the error of a worker that fails early would count as unhandled.
  const fed: Promise<Settled> = feed.finished.then(
    () => "done",
    (error: unknown) => ({ error }),
  );
  try {
    const value = await rows(feed.texts(work.index));
    feed.rowsDone();
    // A question does not wait for what can be put off.
    if (!isQuestion) carryRowsOver(work.index.database);
    await waitFor(fed, work, until);
    return value;
  } finally {
    feed.stop();
    await fed;
  }
}

/**
 * Carries the rows from the write-ahead log into their database, while the worker is still busy: when the index is closed
 * nothing else would be going on. In turn, nine times, a sync of 630 MB took 1.5 % less.
 */
function carryRowsOver(database: Database): void {
  try {
    database.pragma("wal_checkpoint(PASSIVE)");
  } catch (error) {
    // The rows are safe in the log, too; closing the index tries again.
    if (!isSqliteError(error)) throw error;
  }
}

type Settled = "done" | { error: unknown };

async function waitFor(fed: Promise<Settled>, { api, progress, signal }: Work, until: number): Promise<void> {
  while (api.clock() < until) {
    const settled = await Promise.race([fed, setTimeout(LOOK_MS, undefined)]);
    await breathe(progress, signal);
    if (settled === undefined) continue;
    if (settled === "done") return;
    throw settled.error;
  }
}

interface SearchCatchUp {
  /** Steady ms: a little may be missing from then on. */
  deadline: number;
  /** Steady ms: anything may. */
  until?: number;
  /** Called where that is so. */
  onPart?: () => void;
}

/**
 * Feeds the full text until `deadline` (steady ms), or longer if much is missing; the answer says what is missing then.
 * A little is fed in this thread, a lot by a worker. Large merges are left to others: they may take minutes, and
 * everything is found without them. Another process that is feeding is waited for as long as it makes progress.
 *
 * @throws SessionDbError `busy` when another process makes no progress, unless the deadline comes first; Interrupted
 */
export async function catchUpSearch(
  work: Work,
  { deadline, until = Number.POSITIVE_INFINITY, onPart }: SearchCatchUp,
): Promise<void> {
  const { index, progress, signal } = work;
  const { clock } = work.api;
  const { SearchFeeder } = await import("../search/feed/feeder.ts");
  const { LITTLE } = await import("../search/feed/merge.ts");
  const { entriesIn, readFullTextState } = await import("../search/full-text-state.ts");
  const feeder = new SearchFeeder(index);
  for (let more = true, movedAt = clock(), before = -1; more; ) {
    const fed = feedOnce(work, (options) => feeder.run({ ...options, merge: LITTLE }));
    if (fed === "done") return;
    await breathe(progress, signal);
    const { behind } = fed === "busy" ? readFullTextState(index) : fed;
    if (fed !== "busy" || behind !== before) movedAt = clock();
    else if (clock() - movedAt > PATIENCE_MS) throw busy({ isQuestion: true });
    const isMuch = behind > TOLERATED_SHARE * entriesIn(index);
    if (clock() >= until) return onPart?.();
    if (fed !== "busy" && isMuch) {
      await withFeed(work, async () => undefined, { isQuestion: true, until });
      if (clock() < until) return;
    }
    more = isMuch || clock() < deadline;
    before = behind;
  }
}

/** How many entries are missing after a slice of work; "done" when none is, "busy" when another process is feeding. */
function feedOnce(
  { progress }: Work,
  feed: (options: FeedOptions) => FeedResult,
): "done" | "busy" | { behind: number } {
  const onProgress = (report: SyncProgress): void => progress.update(report);
  try {
    const { complete, behind } = feed({ deadlineMs: Date.now() + SLICE_MS, onProgress });
    return complete ? "done" : { behind };
  } catch (error) {
    if (isSqliteBusy(error)) return "busy";
    throw error;
  }
}
