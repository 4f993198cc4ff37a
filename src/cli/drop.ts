import { setTimeout } from "node:timers/promises";
import { explain } from "../db/explain.ts";
import { type Index, openIndex } from "../db/open.ts";
import { isSqliteBusy } from "../errors.ts";
import { forgetFiles } from "../sync/forget.ts";
import { purge } from "../sync/purge.ts";
import type { Context } from "./command.ts";

/** How long another process, or a large index, may keep us. */
const PATIENCE_MS = 30_000;
const STEP_MS = 500;
const PAUSE_MS = 50;

/** Changes nothing, and yet fails where nothing could be changed; BEGIN IMMEDIATE alone does not. */
const TRY_TO_WRITE = "DELETE FROM meta WHERE false";

/** To be asked before a file is moved away whose words have to leave the index. @throws SessionDbError as `openIndex` */
export function assertMayDrop({ config }: Context): void {
  const index = openIndex(config.location);
  try {
    for (const database of [index.database, index.search]) {
      tryOnce(() => {
        database.prepare(TRY_TO_WRITE).run();
        return true;
      });
    }
  } catch (error) {
    throw explain(error, config.location.indexPath);
  } finally {
    index.close();
  }
}

/**
 * Takes files out of the index at once, so that no word of them stays in a database or its log. When that takes
 * too long, or is interrupted, it says who does the rest. Returns whether it was interrupted.
 */
export async function dropFromIndex(context: Context, paths: readonly string[]): Promise<boolean> {
  const { config, talk, world } = context;
  const index = openIndex(config.location);
  try {
    return await world.interruptible(async (signal) => {
      const forgotten = await persist(signal, () => {
        forgetFiles(index, paths);
        return true;
      });
      const purged = forgotten && (await purgeInSteps(index, signal));
      if (purged) return false;
      const rest = forgotten
        ? "words of it may stay in the full text until it is tidied up"
        : "it leaves with the next sync";
      talk.note(`${signal.aborted ? "interrupted" : "the index is in use"}; ${rest}.`);
      return signal.aborted;
    });
  } catch (error) {
    throw explain(error, config.location.indexPath);
  } finally {
    index.close();
  }
}

/** Takes every word of what is gone out of the databases and their logs; false when that did not come to its end. */
export async function purgeInSteps(index: Index, signal: AbortSignal): Promise<boolean> {
  return persist(signal, () => purge(index, { deadlineMs: Date.now() + STEP_MS, signal }));
}

/** Until the work is done: again while it gets on or another process is in the way, but not for ever. */
async function persist(signal: AbortSignal, work: () => boolean): Promise<boolean> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline && !signal.aborted; ) {
    if (tryOnce(work)) return true;
    await setTimeout(PAUSE_MS);
  }
  return false;
}

function tryOnce(work: () => boolean): boolean {
  try {
    return work();
  } catch (error) {
    if (isSqliteBusy(error)) return false;
    throw error;
  }
}
