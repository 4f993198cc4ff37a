import { setTimeout } from "node:timers/promises";
import { isSqliteBusy } from "../errors.ts";
import { explainRows } from "../store/diagnose.ts";
import type { Database } from "../store/native.ts";
import { openIndex } from "../store/open.ts";
import { forgetFiles } from "../sync/forget.ts";
import { Purge, type PurgeState } from "../sync/purge.ts";
import type { Context } from "./command.ts";
import { ProgressBars } from "./output/progress.ts";
import type { Work } from "./steps.ts";
import type { World } from "./world.ts";

/** How long another process may block work that a person waits for. */
export const PATIENCE_MS = 30_000;
const STEP_MS = 500;
const PAUSE_MS = 50;

/** Changes nothing, but fails where the database cannot be written; BEGIN IMMEDIATE alone does not. */
const TRY_TO_WRITE = "DELETE FROM meta WHERE false";

/**
 * To be called before a file whose words have to leave the index is moved away. @throws SessionDbError as `openIndex`
 */
export function assertMayDrop({ config }: Context): void {
  const index = openIndex(config.location);
  try {
    for (const database of [index.database, index.search]) {
      tryToWrite(database);
    }
  } catch (error) {
    throw explainRows(error, index);
  } finally {
    index.close();
  }
}

function tryToWrite(database: Database): void {
  try {
    database.prepare(TRY_TO_WRITE).run();
  } catch (error) {
    if (!isSqliteBusy(error)) throw error;
  }
}

/**
 * Removes files from the index at once, so that no word of them stays in a database or its log. When that takes
 * too long, or is interrupted, a message says what does the rest. Returns whether it was interrupted.
 */
export async function dropFromIndex(context: Context, paths: readonly string[]): Promise<boolean> {
  const { config, talk, world } = context;
  const index = openIndex(config.location);
  try {
    return await world.interruptible(async (signal) => {
      const forgotten = await persist({ world, signal, patienceMs: PATIENCE_MS }, () => {
        forgetFiles(index, paths);
        return "done";
      });
      const purged = forgotten && (await purgeInSteps({ context, index, signal }, PATIENCE_MS));
      if (purged) return false;
      const rest = forgotten
        ? "words of deleted sessions may stay in the full text until it is tidied up"
        : "the next sync removes the deleted sessions from the index";
      talk.note(`${signal.aborted ? "interrupted" : "the index is in use"}; ${rest}.`);
      return signal.aborted;
    });
  } catch (error) {
    throw explainRows(error, index);
  } finally {
    index.close();
  }
}

/**
 * Purges every word of removed rows from the databases and their logs, which may take a minute where there are
 * thousands of sessions; false when that was not completed.
 */
export async function purgeInSteps(
  { context, index, signal }: Omit<Work, "bars">,
  patienceMs: number,
): Promise<boolean> {
  const { talk, world } = context;
  const bars = new ProgressBars(talk, world);
  const work = new Purge(index);
  try {
    return await persist({ world, signal, patienceMs }, async () => {
      const state = work.step({ deadlineMs: Date.now() + STEP_MS, signal });
      bars.update(work.progress);
      await bars.draw();
      return state;
    });
  } finally {
    bars.stop();
  }
}

/** Repeats the work until it is done: while it makes progress, and for a while when another process blocks it. */
async function persist(
  { world, signal, patienceMs }: { world: World; signal: AbortSignal; patienceMs: number },
  work: () => PurgeState | Promise<PurgeState>,
): Promise<boolean> {
  const { steady } = world;
  for (let movedAt = steady(); !signal.aborted; ) {
    const state = await tryOnce(work);
    if (state === "done") return true;
    if (state === "underway") movedAt = steady();
    else if (steady() - movedAt >= patienceMs) return false;
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
