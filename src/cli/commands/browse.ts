import { SessionDbError } from "../../errors.ts";
import { isSet, textsOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { placeOptions } from "../place-options.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

export const browse: Command = {
  positionals: { query: "What to begin with, as for search; the last sessions without" },
  completes: "qualifiers",
  options: { ...INDEX_OPTIONS },
  examples: [
    ["$0 browse", "the last sessions, and what you type"],
    ["$0 b tide role:user", "begin with a query"],
  ],
  async run(context, args) {
    const { world, out, json } = context;
    if (json || !out.isTerminal || world.stdin.isTTY !== true) {
      throw new SessionDbError("usage", "browse needs a terminal to draw on", {
        hint: "Elsewhere, use sessiondb search or sessiondb list.",
      });
    }
    const query = textsOf(args, "query").join(" ");
    const { browseSessions } = await import("../browse/browse-sessions.ts");
    const path = await browseSessions(context, { query, sync: !isSet(args, "no-sync") });
    if (path === undefined) return ExitCode.done;
    if (world.isDemo !== true) return resume(context, path);
    context.talk.say("That would have resumed the session in pi; a demo only shows it.");
    return ExitCode.done;
  },
};

/** In the place of the panel. */
function resume({ again, config }: Context, path: string): Promise<number> {
  return again([...placeOptions(config), "resume", "--no-sync", "--exec", "--", path], {});
}
