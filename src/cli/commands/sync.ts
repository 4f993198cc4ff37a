import { syncIndex, tidyFullText } from "../../api/sync.ts";
import { clockTimeOf } from "../../time/calendar.ts";
import { apiOf } from "../api-of.ts";
import { isSet } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { shownPath } from "../output/fields.ts";
import { printDocument } from "../output/json-output.ts";
import { describeIssues, summaryOf } from "../output/sync-summary.ts";

export const sync: Command = {
  options: {
    rebuild: {
      describe: "First remove the sessions of these folders from the index, then read all of them again",
    },
    watch: { describe: "Then keep the index up to date until Ctrl-C, without a daemon" },
  },
  examples: [
    ["$0 sync", "read what is new since the last sync"],
    ["$0 sync --rebuild", "read every session again, from its beginning"],
    ["$0 sync --watch", "keep the index up to date while this runs"],
  ],
  async run(context, args) {
    if (isSet(args, "watch")) endWithParent();
    const api = apiOf(context);
    const result = await syncIndex(api, { rebuild: isSet(args, "rebuild") });
    const { files, entries, bytesRead, durationMs, troubles } = result;
    if (context.json) printDocument(context.out, { files, entries, bytesRead, durationMs, troubles });
    for (const sentence of summaryOf(result)) context.talk.say(sentence);
    context.talk.print(describeIssues(context, troubles));
    if (isSet(args, "watch")) return keepWatching(context);
    await tidyFullText(api);
    return ExitCode.done;
  },
};

/** Whoever has begun it with a channel, as serve does, wants it to end with the channel, however and whenever that ends. */
function endWithParent(): void {
  const end = (): void => void process.kill(process.pid, "SIGTERM");
  if (process.connected === false) end();
  else process.once("disconnect", end);
  // Else waiting for its end would keep a process that is told to end otherwise, and whoever waits for that.
  process.channel?.unref();
}

/** Runs the daemon in this process until it is ended. A daemon that runs already does the same. */
async function keepWatching(context: Context): Promise<number> {
  const { beDaemon } = await import("../daemon/daemon-run.ts");
  return beDaemon(context, { tells: true, onChange: changeTeller(context) });
}

/** A line for each change, and one for changes of a file that come together: pi writes many lines a second. */
const TOGETHER_MS = 500;
const BY_SWEEP = "a look at everything has found something new, or removed";

function changeTeller({ talk, world, config }: Context): (path: string | undefined) => void {
  const changed = new Set<string | undefined>();
  const tell = (): void => {
    const time = clockTimeOf(world.now(), config.timezone);
    for (const path of changed) {
      const what = path === undefined ? BY_SWEEP : shownPath({ out: talk, world }, path);
      talk.say(`${time}  ${what}`, talk.paint.dim);
    }
    changed.clear();
  };
  return (path) => {
    if (changed.size === 0) setTimeout(tell, TOGETHER_MS).unref();
    changed.add(path);
  };
}
