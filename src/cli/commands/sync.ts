import { renameSync, statSync } from "node:fs";
import { explain, type Index, openIndex } from "../../db/open.ts";
import { SessionDbError } from "../../errors.ts";
import type { SyncResult } from "../../sync/sync-all.ts";
import { type Args, isSet, textOf } from "../args.ts";
import { noteMissingRoots } from "../catch-up.ts";
import { type Command, type Context, ExitCode } from "../command.ts";
import { purgeInSteps } from "../drop.ts";
import { followExclusions } from "../exclusions.ts";
import { withFeed } from "../feed.ts";
import { printDocument } from "../output/json.ts";
import { formatBytes, formatCount, formatDuration, plural } from "../output/numbers.ts";
import { ProgressBars } from "../output/progress.ts";
import { packageFacts } from "../package.ts";
import { syncRows } from "../steps.ts";
import { describeTroubles } from "../troubles.ts";

export const sync: Command = {
  options: {
    rebuild: { type: "boolean", describe: "Empty the index first and read every session again" },
    watch: { type: "boolean", describe: "Then keep it up to date until Ctrl-C, without a daemon" },
  },
  examples: [
    ["$0 sync", "read what is new since the last time"],
    ["$0 sync --rebuild", "make the index again from the session files"],
    ["$0 sync --watch", "keep it up to date while this runs"],
  ],
  async run(context, args) {
    const result = await syncEverything(context, args);
    const { files, entries, bytesRead, durationMs, troubles } = result;
    if (context.json) printDocument(context.out, { files, entries, bytesRead, durationMs, troubles });
    printSummary(context, result);
    return isSet(args, "watch") ? keepWatching(context) : ExitCode.done;
  },
};

/** The daemon, here and as long as this runs. Another one that runs does the same already. */
async function keepWatching(context: Context): Promise<number> {
  const { config, world, talk } = context;
  const { runDaemon, untilToldToEnd } = await import("../../../daemon/main.ts");
  const { roots, location } = config;
  const { home, now } = world;
  const { version } = packageFacts();
  talk.print("Watching; Ctrl-C ends it.");
  const isExcluded = followExclusions(config, context.readConfig);
  const ran = await untilToldToEnd((signal) =>
    runDaemon({ roots, location, isExcluded, version, home, now, signal }),
  );
  if (!ran) talk.print(await (await import("../daemon-running.ts")).alreadyRunning(context));
  return ExitCode.done;
}

async function syncEverything(context: Context, args: Args): Promise<SyncResult> {
  const { world, config, talk } = context;
  noteMissingRoots(context);
  const rebuild = isSet(args, "rebuild");
  const wasNamed = textOf(args, "db") !== undefined;
  const index = rebuild ? openOrReplace(context, wasNamed) : openIndex(config.location);
  const bars = new ProgressBars(talk, world.now);
  try {
    return await world.interruptible(async (signal) => {
      const work = { context, index, bars, signal };
      const result = (await withFeed(work, () => syncRows(work, { rebuild }))).result();
      // What a person has deleted or excluded is not to be found in any file of ours. What is left the daemon does.
      if (result.files.removed > 0) await purgeInSteps(index, signal);
      return result;
    });
  } catch (error) {
    throw explain(error, config.location.indexPath);
  } finally {
    bars.stop();
    index.close();
  }
}

/** A damaged index is put aside and made anew, unless `--db` named it: then the file may be none of ours. */
function openOrReplace({ config, talk }: Context, wasNamed: boolean): Index {
  try {
    const index = openIndex(config.location);
    index.search.prepare("SELECT 1").get();
    return index;
  } catch (error) {
    if (!(error instanceof SessionDbError) || error.code !== "index_corrupt") throw error;
    if (wasNamed) throw mendByHand(error);
    for (const path of Object.values(config.location)) putAside(path);
    talk.print("The damaged index was put aside (*.damaged).");
    return openIndex(config.location);
  }
}

function mendByHand(error: SessionDbError): SessionDbError {
  return new SessionDbError(error.code, error.message, {
    cause: error,
    hint: "If that file is an index, delete it and run sessiondb sync: it is made again from the session files.",
  });
}

function putAside(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) {
    const exists = statSync(path + suffix, { throwIfNoEntry: false }) !== undefined;
    if (exists) renameSync(path + suffix, `${path}.damaged${suffix}`);
  }
}

function printSummary(context: Context, result: SyncResult): void {
  const { talk } = context;
  const { files, entries, bytesRead, durationMs } = result;
  const took = `in ${formatDuration(durationMs)}`;
  if (files.indexed + files.removed === 0) {
    talk.print(`Up to date: ${plural(files.seen, "file")}, looked at ${took}.`);
  } else {
    const removed = files.removed > 0 ? `, ${plural(files.removed, "file")} removed` : "";
    const read = `${plural(files.indexed, "file")} read (${formatBytes(bytesRead)}, ${plural(entries.added, "new entry", "new entries")})`;
    talk.print(`${read}${removed}, ${formatCount(files.unchanged)} unchanged, ${took}.`);
  }
  talk.print(...describeTroubles(context, result.troubles));
}
