import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SessionDbError } from "../../errors.ts";
import { isSet, textsOf } from "../command-line/args.ts";
import { type Command, commandName } from "../command-line/command.ts";
import { packageRoot } from "../command-line/package.ts";
import { readCommandLine } from "../command-line/parse-args.ts";

/** Options of commands that only read: with these they run something, or stay behind. */
const REFUSED = ["exec", "watch"];

/** When the last of the samples was held, a little later: `7d` and `today` mean their days. */
const NOW = Date.parse("2026-11-20T12:00:00Z");

export const demo: Command = {
  positionals: { command: "What to try, with its options (default: the overview)" },
  options: {},
  examples: [
    ["$0 demo", "what there is, in bundled sessions"],
    ["$0 demo search timezone", "any command, as with sessions of your own"],
  ],
  async run({ again, talk, registry }, args) {
    const words = textsOf(args, "command");
    const asked = await readCommandLine(words, registry);
    const option = REFUSED.find((name) => isSet(asked.args, name));
    const isRefused = asked.entry.changes && !isSet(asked.args, "help");
    if (isRefused || option !== undefined) {
      const refused = option === undefined ? commandName(asked.entry) : `--${option}`;
      throw new SessionDbError("usage", `sessiondb demo only reads, and knows no ${refused}`, {
        hint: "Leave demo out to do it with your own sessions.",
      });
    }
    talk.note('a demo with bundled sessions; without "demo" it is about your own.');
    const samples = fileURLToPath(new URL("test/samples/agent", packageRoot()));
    const { inTemporaryFolder } = await import("../../api/temporary-index.ts");
    return inTemporaryFolder((folder) => {
      const places = ["--agent-dir", samples, "--db", join(folder, "index-v1.db")];
      return again([...places, ...words], { now: () => NOW, isDemo: true });
    });
  },
};
