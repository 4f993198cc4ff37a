import { SessionDbError } from "../../errors.ts";
import { Interrupted } from "../../runtime/cancellation.ts";
import { explainRows } from "../../store/diagnose.ts";
import { filesAt } from "../../store/location.ts";
import { type Index, openIndex } from "../../store/open.ts";
import { needsPurge } from "../../sync/purge.ts";
import type { SyncResult } from "../../sync/sync-run.ts";
import { type Args, isSet } from "../args.ts";
import { type Command, type Context, ExitCode } from "../command.ts";
import { PATIENCE_MS, purgeInSteps } from "../drop.ts";
import { withFeed } from "../feed.ts";
import { noteEmptied, noteMissingRoots } from "../notes.ts";
import { printDocument } from "../output/json.ts";
import { ProgressBars } from "../output/progress.ts";
import { openSound, replaceDamaged } from "../sound-index.ts";
import { type StepOptions, syncRows, type Work } from "../steps.ts";
import { summaryOf } from "../sync-summary.ts";
import { describeTroubles } from "../troubles.ts";
import { ATTEMPTS, mayBeOvertaken } from "../with-index.ts";

export const sync: Command = {
  options: {
    rebuild: {
      type: "boolean",
      describe: "First remove the sessions of these folders from the index, then read all of them again",
    },
    watch: { type: "boolean", describe: "Then keep the index up to date until Ctrl-C, without a daemon" },
  },
  examples: [
    ["$0 sync", "read what is new since the last sync"],
    ["$0 sync --rebuild", "read every session again, from its beginning"],
    ["$0 sync --watch", "keep the index up to date while this runs"],
  ],
  async run(context, args) {
    const result = await syncEverything(context, args);
    const { files, entries, bytesRead, durationMs, troubles } = result;
    if (context.json) printDocument(context.out, { files, entries, bytesRead, durationMs, troubles });
    for (const sentence of summaryOf(result)) context.talk.say(sentence);
    context.talk.print(describeTroubles(context, troubles));
    return isSet(args, "watch") ? keepWatching(context) : ExitCode.done;
  },
};

/** Runs the daemon in this process until it is ended. A daemon that runs already does the same. */
async function keepWatching(context: Context): Promise<number> {
  const { beDaemon } = await import("../daemon-running.ts");
  return beDaemon(context, { tells: true });
}

async function syncEverything(context: Context, args: Args): Promise<SyncResult> {
  noteMissingRoots(context);
  if (!isSet(args, "rebuild")) return syncInto(context, openIndex(context.config.location));
  const index = openSound(context);
  const files = filesAt(context.config.location);
  try {
    return await syncInto(context, index, { rebuild: true });
  } catch (error) {
    // Damage may show only when the damaged part is read.
    if (!(error instanceof SessionDbError) || error.code !== "index_corrupt") throw error;
    return syncInto(context, replaceDamaged(context, files), { rebuild: true });
  }
}

/** Syncs, and closes the index. An index that is removed meanwhile is made again: after a sync there has to be one. */
async function syncInto(context: Context, opened: Index, options: StepOptions = {}): Promise<SyncResult> {
  let index = opened;
  const isGone = (attempt: number): boolean => attempt < ATTEMPTS && index.isReplaced();
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await syncOnce(context, index, options);
      if (!isGone(attempt)) return result;
    } catch (error) {
      if (!mayBeOvertaken(error) || !isGone(attempt)) throw error;
    }
    index = openIndex(context.config.location);
  }
}

/** Syncs once, and closes the index. */
async function syncOnce(context: Context, index: Index, options: StepOptions): Promise<SyncResult> {
  const { world, talk } = context;
  const bars = new ProgressBars(talk, world);
  try {
    noteEmptied(context, index, { search: true });
    return await world.interruptible(async (signal) => {
      const work = { context, index, bars, signal };
      const rows = () => syncRows(work, { ...options, patienceMs: PATIENCE_MS });
      const result = (await withFeed(work, rows, { mergesAll: true })).result();
      bars.stop();
      if (needsPurge(index)) await purgeRemoved(work, result.files.removed > 0 ? PATIENCE_MS : 0);
      return result;
    });
  } catch (error) {
    throw explainRows(error, index);
  } finally {
    bars.stop();
    index.close();
  }
}

/**
 * Purges words that were deleted or excluded: they must not stay in any file of the index. Also those that an earlier
 * command could not purge, but other processes are not waited for because of them. The daemon, or the next sync, does
 * the rest.
 */
async function purgeRemoved(work: Work, patienceMs: number): Promise<void> {
  const purged = await purgeInSteps(work, patienceMs);
  if (purged || !work.signal.aborted) return;
  throw new Interrupted(
    "everything is indexed; words of removed sessions may stay in the full text until it is tidied up",
  );
}
