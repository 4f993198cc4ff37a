import { verifyIndex } from "../../api/verify.ts";
import type { Verification } from "../../reports/verify/verify-sessions.ts";
import { formatMoney, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { apiOf } from "../api-of.ts";
import { isSet, textsOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { nameOptionsOf, SESSION_WORDS } from "../command-line/session-argument.ts";
import { printDocument } from "../output/json-output.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

export const verify: Command = {
  completes: "sessions",
  positionals: { session: `${SESSION_WORDS} [default: all sessions]` },
  options: INDEX_OPTIONS,
  examples: [
    ["$0 verify", "every entry and every cent of the index, against the files"],
    ["$0 verify latest --no-sync", "one session, without catching up first"],
  ],
  async run(context, args) {
    const found = await verifyIndex(apiOf(context), {
      sync: !isSet(args, "no-sync"),
      names: textsOf(args, "session"),
      naming: nameOptionsOf(context),
    });
    const { checked, entries, cost, statedCost, differences } = found;
    const ok = differences.length === 0;
    if (context.json) {
      const listed = differences.map(({ where, what }) => ({ path: where, what }));
      printDocument(context.out, { ok, checked, entries, cost, statedCost, differences: listed });
    } else context.out.print(differences.map(({ where, what }) => `${oneLine(where)}: ${oneLine(what)}`));
    printSummary(context, found);
    return ok ? ExitCode.done : ExitCode.failed;
  },
};

function printSummary({ talk }: Context, found: Verification): void {
  const { checked, entries, cost, statedCost, differences } = found;
  const { dim, green, red } = talk.paint;
  const what = `${plural(checked, "session")}, ${plural(entries, "entry", "entries")} and ${cost === 0 ? "no cost" : formatMoney(cost)}`;
  const isRight = differences.length === 0;
  if (isRight) talk.say(`${what}: the index matches the files.`, green);
  else talk.say(`${what}: ${plural(differences.length, "difference")}.`, red);
  if (formatMoney(statedCost) !== formatMoney(cost)) {
    const stated = `The files state ${formatMoney(statedCost)}: the rest is copied into forks, or stated for sub-agents, and counted where it was spent.`;
    talk.say(stated, dim);
  }
  if (isRight) return;
  talk.say("sessiondb sync --rebuild rebuilds the index from the files that can be read.");
}
