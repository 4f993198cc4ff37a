import type { ArchivePlan } from "../../../api/archive/archive-plan.ts";
import { SessionDbError } from "../../../errors.ts";
import { formatBytes, plural } from "../../../text/numbers.ts";
import { oneLine } from "../../../text/sanitise.ts";
import { parsePeriod } from "../../../time/period.ts";
import { apiOf } from "../../api-of.ts";
import { type Args, isSet, textOf, textsOf } from "../../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../../command-line/command.ts";
import { filterOptions } from "../../command-line/filter-options.ts";
import { SESSION_WORDS } from "../../command-line/session-argument.ts";
import { sessionChoice } from "../../command-line/session-choice.ts";
import { printDocument } from "../../output/json-output.ts";
import { bytesOf, leftDocument, printMoved, sayLeft, sayTitles } from "../../output/moved-sessions.ts";
import { askYesNo, assertCanAsk } from "../../terminal/ask-yes-no.ts";
import { withIndex } from "../../with-index.ts";

export const archive: Command = {
  positionals: { names: `${SESSION_WORDS}; several are allowed. Or verify: read all of the archive back` },
  completes: "sessions",
  options: {
    older: { value: "WHEN", describe: "Sessions last active before this day or time: 90d, 6mo, 2026-01-01" },
    "sub-agents": { describe: "Only sessions of sub-agents; those of people stay" },
    "dry-run": { describe: "Show what would be moved, and move nothing" },
    yes: { alias: "y", describe: "Do not ask for confirmation" },
    ...filterOptions(),
  },
  examples: [
    ["$0 archive --older 90d", "ask, then pack away what was last active 90 days ago or earlier"],
    ["$0 archive --older 6mo --sub-agents --dry-run", "how much room the sessions of sub-agents take"],
    ["$0 archive verify", "read every packed file back, and compare it with its checksum"],
  ],
  async run(context, args) {
    const names = textsOf(args, "names");
    if (names.length === 1 && names[0] === "verify") return verifyAll(context);
    const others = ["older", "sub-agents"];
    const choice = sessionChoice(context, args, { names, command: "archive", others });
    const asked = { before: limitOf(context, args, names), subagents: isSet(args, "sub-agents") };
    const { planArchive } = await import("../../../api/archive/archive-plan.ts");
    const world = { roots: context.config.roots, now: context.world.now() };
    const plan = await withIndex(
      context,
      args,
      { search: false, rows: "all readable", acts: true },
      (index) => planArchive(index, { ...asked, choice }, world),
    );
    if (plan.sessions.length === 0 || isSet(args, "dry-run")) return showPlan(context, plan);
    if (!isSet(args, "yes") && !(await isSure(context, plan))) {
      context.talk.say("Nothing was moved.");
      return ExitCode.failed;
    }
    const { archiveSessions } = await import("../../../api/archive/archive.ts");
    const outcome = await archiveSessions(apiOf(context), plan.sessions, context.world.now);
    return printMoved(context, { verb: "Archived", outcome, left: plan.left });
  },
};

/** Unix ms; named sessions may be of any age. @throws SessionDbError `usage` where nothing says which are meant */
function limitOf({ world, config }: Context, args: Args, names: readonly string[]): number {
  const older = textOf(args, "older");
  if (older !== undefined) return parsePeriod(older, { now: world.now(), timezone: config.timezone }).start;
  if (names.length > 0) return Number.POSITIVE_INFINITY;
  throw new SessionDbError("usage", "which sessions?", {
    hint: "Say how old they are (sessiondb archive --older 90d), or name them. With --dry-run nothing is moved.",
  });
}

function showPlan(context: Context, { sessions, left }: ArchivePlan): number {
  const { out, talk, json } = context;
  const bytes = bytesOf(sessions);
  if (json) {
    const documents = sessions.map(({ id, path, title, sizeBytes }) => ({
      id,
      path,
      title,
      bytes: sizeBytes,
    }));
    printDocument(out, { archived: [], planned: documents, left: leftDocument(left), bytes, packedBytes: 0 });
  }
  sayTitles(context, sessions);
  sayLeft(context, left);
  if (sessions.length === 0) talk.say("There is nothing to archive.");
  else talk.say(`${plural(sessions.length, "session")}, ${formatBytes(bytes)}; nothing was moved.`);
  return ExitCode.done;
}

async function isSure(context: Context, { sessions }: ArchivePlan): Promise<boolean> {
  assertCanAsk(context.world, "archive");
  sayTitles(context, sessions);
  const what = `${plural(sessions.length, "session")}, ${formatBytes(bytesOf(sessions))}`;
  return askYesNo(context, `Move ${what}, to the archive?`);
}

async function verifyAll(context: Context): Promise<number> {
  const { verifyArchive } = await import("../../../api/archive/archive.ts");
  const { checked, bytes, packedBytes, broken } = await verifyArchive(apiOf(context));
  const { out, talk, json } = context;
  const ok = broken.length === 0;
  if (json) printDocument(out, { ok, checked, bytes, packedBytes, broken });
  else out.print(broken.map(({ path, what }) => `${oneLine(path)}: ${oneLine(what)}`));
  const files = plural(checked, "packed file");
  if (checked === 0) talk.say("Nothing is archived.");
  else if (!ok) talk.say(`${files}: ${plural(broken.length, "broken one")}.`, talk.paint.red);
  else
    talk.say(
      `${files}, ${formatBytes(bytes)} in ${formatBytes(packedBytes)}: all is well.`,
      talk.paint.green,
    );
  return ok ? ExitCode.done : ExitCode.failed;
}
