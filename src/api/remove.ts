import { setTimeout } from "node:timers/promises";
import { isSqliteBusy } from "../errors.ts";
import { removeFiles } from "../indexing/remove-files.ts";
import type { PurgeState } from "../search/purge.ts";
import { tryToWrite } from "../store/databases.ts";
import type { Index } from "../store/open.ts";
import type { ApiContext } from "./api-context.ts";
import { healing } from "./healing.ts";
import { usingIndex } from "./in-index.ts";
import { identifyProjects } from "./projects.ts";
import { PATIENCE_MS, type Work } from "./steps.ts";

export { isUnfinishedCopy } from "../files/session-path.ts";
export { unfinishedCopiesOf } from "../files/write-file.ts";

const STEP_MS = 500;
const PAUSE_MS = 50;

/**
 * To be called before a file whose words have to leave the index is moved away. @throws SessionDbError as `openIndex`
 */
export async function assertMayRemove(api: ApiContext): Promise<void> {
  await healing(api, () =>
    usingIndex(api.config.location, {}, ({ database, search }) => {
      tryToWrite(database);
      tryToWrite(search);
    }),
  );
}

/**
 * Removes files from the index at once, so that no word of them stays in a database or its log. When that takes
 * too long, or is interrupted, a note says what is left. Returns whether it was interrupted.
 */
export async function removeFromIndex(api: ApiContext, paths: readonly string[]): Promise<boolean> {
  return healing(api, () =>
    usingIndex(api.config.location, {}, (index) => removeAndPurge(api, index, paths)),
  );
}

function removeAndPurge(api: ApiContext, index: Index, paths: readonly string[]): Promise<boolean> {
  return api.interruptible(async (signal) => {
    const removed = await persist({ api, signal, patienceMs: PATIENCE_MS }, () => {
      removeFiles(index, paths);
      return "done";
    });
    if (removed) await identifyProjects(index.database, api.config);
    const purged = removed && (await purgeInSteps({ api, index, signal }, PATIENCE_MS));
    if (purged) return false;
    const left = removed ? "words" : "rows";
    api.note({ kind: "removal_unfinished", left, wasInterrupted: signal.aborted });
    return signal.aborted;
  });
}

/**
 * Purges every word of removed rows from the databases and their logs, which may take a minute where there are
 * thousands of sessions; false when that was not completed.
 */
export async function purgeInSteps(
  { api, index, signal }: Omit<Work, "progress">,
  patienceMs: number,
): Promise<boolean> {
  const { Purge } = await import("../search/purge.ts");
  const progress = await api.progress();
  const work = new Purge(index);
  try {
    return await persist({ api, signal, patienceMs }, async () => {
      const state = work.step({ deadlineMs: Date.now() + STEP_MS, signal });
      progress.update(work.progress);
      await progress.draw();
      return state;
    });
  } finally {
    progress.stop();
  }
}

/** Repeats the work until it is done: while it makes progress, and for a while when another process blocks it. */
async function persist(
  { api, signal, patienceMs }: Pick<Work, "api" | "signal"> & { patienceMs: number },
  work: () => PurgeState | Promise<PurgeState>,
): Promise<boolean> {
  const { clock } = api;
  for (let movedAt = clock(); !signal.aborted; ) {
    const state = await tryOnce(work);
    if (state === "done") return true;
    if (state === "underway") movedAt = clock();
    else if (clock() - movedAt >= patienceMs) return false;
    await setTimeout(PAUSE_MS);
  }
  return false;
}

async function tryOnce(work: () => PurgeState | Promise<PurgeState>): Promise<PurgeState> {
  try {
    return await work();
  } catch (error) {
    if (isSqliteBusy(error)) return "in_use";
    throw error;
  }
}
