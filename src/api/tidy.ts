import { setImmediate } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import { tidySlice } from "../search/feed/merge.ts";
import { isOutOfRoom } from "../store/sqlite-errors.ts";
import type { ApiContext } from "./api-context.ts";
import { healing } from "./healing.ts";
import { usingIndex } from "./in-index.ts";
import type { Work } from "./steps.ts";
import { syncIndex } from "./sync.ts";

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
