import { setImmediate } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import type { SyncResult } from "../indexing/sync-run.ts";
import type { TextSink } from "../indexing/text-sink.ts";
import { Interrupted } from "../runtime/cancellation.ts";
import { tidySlice } from "../search/feed/merge.ts";
import { needsPurge } from "../search/feed/position.ts";
import { type Index, openIndex } from "../store/open.ts";
import { isOutOfRoom } from "../store/sqlite-errors.ts";
import type { ApiContext } from "./api-context.ts";
import { ATTEMPTS, mayBeConcurrentChange } from "./ask.ts";
import { withFeed } from "./full-text.ts";
import { healing } from "./healing.ts";
import { usingIndex, usingOpen } from "./in-index.ts";
import { noteEmptied, noteMissingRoots, noteNewFolder } from "./notes.ts";
import { identifyProjects } from "./projects.ts";
import { purgeInSteps } from "./remove.ts";
import { PATIENCE_MS, type StepOptions, syncRows, type Work } from "./steps.ts";

/**
 * Brings rows and full text up to date, to the end, and purges words of what was removed. With `rebuild` everything is
 * read again, after a look at every page of the index. A damaged index is made anew.
 *
 * @throws SessionDbError as `healing` and `openIndex`, and `busy` when another process keeps writing; Interrupted
 */
export function syncIndex(api: ApiContext, { rebuild }: { rebuild: boolean }): Promise<SyncResult> {
  noteMissingRoots(api);
  noteNewFolder(api);
  const sync = async (_api: ApiContext, isAnew: boolean): Promise<SyncResult> => {
    if (rebuild && !isAnew) (await import("./repair.ts")).assertWhole(api.config.location);
    return syncInto(api, openIndex(api.config.location), { rebuild });
  };
  return healing(api, sync, { always: rebuild });
}

/** Syncs, and closes the index. An index that is removed meanwhile is made again: after a sync there has to be one. */
async function syncInto(api: ApiContext, opened: Index, options: StepOptions = {}): Promise<SyncResult> {
  let index = opened;
  const isGone = (attempt: number): boolean => attempt < ATTEMPTS && index.isReplaced();
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await usingOpen(index, () => syncOnce(api, index, options));
      if (!isGone(attempt)) return result;
    } catch (error) {
      if (!mayBeConcurrentChange(error) || !isGone(attempt)) throw error;
    }
    index = openIndex(api.config.location);
  }
}

async function syncOnce(api: ApiContext, index: Index, options: StepOptions): Promise<SyncResult> {
  const progress = await api.progress();
  try {
    noteEmptied(api, index, { search: true });
    return await api.interruptible(async (signal) => {
      const work = { api, index, progress, signal };
      const rows = (texts: TextSink) => syncRows(work, { ...options, texts, patienceMs: PATIENCE_MS });
      const result = (await withFeed(work, rows)).result();
      progress.stop();
      await identifyProjects(index.database, api.config);
      if (needsPurge(index)) await purgeRemoved(work, result.files.removed > 0 ? PATIENCE_MS : 0);
      return result;
    });
  } finally {
    progress.stop();
  }
}

/**
 * Purges words that were deleted or excluded: they must not stay in any file of the index. Also those that an earlier
 * sync could not purge, but other processes are not waited for because of them. The daemon, or the next sync, does
 * the rest.
 */
async function purgeRemoved(work: Work, patienceMs: number): Promise<void> {
  const purged = await purgeInSteps(work, patienceMs);
  if (purged || !work.signal.aborted) return;
  throw new Interrupted(
    "everything is indexed; words of removed sessions may stay in the full text until it is tidied up",
  );
}

/**
 * Merges the segments that a sync has left, to eight at most, and gives back what that frees: a fifth of the full text. To be
 * called once the sync is reported, because nobody has to wait for it. Left to the next sync, or the daemon, where another
 * process is writing, where the signal comes, and where the disk has no room; then a note says so.
 *
 * @throws SessionDbError as `openIndex`
 */
export async function tidyFullText(api: ApiContext): Promise<void> {
  try {
    await healing(api, async (_api, isAnew) => {
      if (isAnew) await syncIndex(api, { rebuild: false });
      await usingIndex(api.config.location, {}, (index) =>
        api.interruptible((signal) => mergeAll({ api, index, signal })),
      );
    });
  } catch (error) {
    if (codeOf(error) !== "busy") throw error;
  }
}

async function mergeAll({ api, index, signal }: Omit<Work, "progress">): Promise<void> {
  try {
    while (!tidySlice(index, signal) && !signal.aborted) await setImmediate();
  } catch (error) {
    if (!isOutOfRoom(codeOf(error))) throw error;
    api.note({ kind: "untidy" });
  }
}
