import { followChanges, readRevision } from "../../api/follow-changes.ts";
import type { Changes } from "../../reports/changes.ts";
import { toSafeJson } from "../../text/safe-json.ts";
import { apiOf } from "../api-of.ts";
import { isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

export const feed: Command = {
  options: {
    since: {
      value: "REVISION",
      describe: "Only what has changed since this revision, which a line has named; now: nothing of before",
    },
    follow: { describe: "Then go on, as it happens, until Ctrl-C" },
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 feed --since now --follow", "every entry that is written from now on"],
    ['$0 feed --since "$(cat revision)"', "what has come since the last time"],
  ],
  async run(context, args) {
    const sync = !isSet(args, "no-sync");
    const follow = isSet(args, "follow");
    const given = textOf(args, "since") ?? null;
    const since = given === "now" ? await readRevision(apiOf(context), sync) : given;
    return context.world.interruptible(async (signal) => {
      const keeper = follow && sync ? (await import("../serve/keeper.ts")).keepUpToDate(context) : null;
      try {
        for await (const batch of followChanges(apiOf(context), { since, follow, sync, signal }))
          await print(context, batch);
      } finally {
        keeper?.end();
      }
      return ExitCode.done;
    });
  },
};

/** A line for each change, and one that says that there are no more now. */
async function print({ out }: Context, { changes, revision, isComplete }: Changes): Promise<void> {
  out.print(changes.map((change) => toSafeJson(change)));
  if (isComplete) out.print(toSafeJson({ kind: "current", revision }));
  await out.drained();
}
