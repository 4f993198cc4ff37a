import { SessionDbError } from "../../errors.ts";
import { otlpLines } from "../../export/otlp.ts";
import type { Filter } from "../../filters/filter.ts";
import { familiesOfRequests, type LoggedRequest } from "../../reports/usage/request-log.ts";
import { plural } from "../../text/numbers.ts";
import { safeJson } from "../../text/safe-json.ts";
import { oneLine } from "../../text/sanitise.ts";
import { type Args, refuseOptions } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { packageFacts } from "../command-line/package.ts";
import { ROW_OPTIONS } from "../output/rows.ts";
import { gathered, targetOf, writePrivateFile } from "../output/save-export.ts";
import { withIndex } from "../with-index.ts";

/** What is said of rows has no meaning here. */
const REFUSED = [
  "json",
  "breakdown",
  "estimate",
  "own",
  "week-start",
  "limit",
  "sort",
  "compat",
  ...Object.keys(ROW_OPTIONS),
];

/** Writes every request that counts as a span; `filter` has the period. */
export async function writeOtlp(context: Context, args: Args, filter: Filter): Promise<number> {
  if (args.by !== undefined) {
    throw new SessionDbError("usage", "usage --otlp writes single requests, and adds up nothing", {
      hint: `Leave out ${String(args.by)}.`,
    });
  }
  refuseOptions(args, REFUSED, { of: "usage --otlp", hint: "It writes single requests; filters apply." });
  const target = targetOf(context, args, "otlp");
  let requests = 0;
  function* counted(families: Iterable<LoggedRequest[]>): Generator<LoggedRequest[]> {
    for (const family of families) {
      requests += family.length;
      yield family;
    }
  }
  await withIndex(context, args, { search: false }, async (index) => {
    const families = familiesOfRequests(index, { roots: context.config.roots, filter });
    const lines = safe(otlpLines(counted(families), packageFacts().version));
    if (target === undefined) for (const bytes of gathered(lines)) context.out.stream.write(bytes);
    else await context.world.interruptible((signal) => writePrivateFile(target, lines, signal));
  });
  const { talk } = context;
  const where = target === undefined ? "" : ` to ${oneLine(target)}`;
  talk.say(`${plural(requests, "request")} written${where}, without anything that was said.`, talk.paint.dim);
  return ExitCode.done;
}

/** Names of models and projects must not drive the terminal on which such a file is shown. */
function* safe(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield safeJson(line);
}
