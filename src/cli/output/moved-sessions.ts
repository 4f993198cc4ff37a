import type { MoveOutcome } from "../../api/archive/archive.ts";
import type { ArchivePlan } from "../../api/archive/archive-plan.ts";
import type { Session } from "../../reports/answers.ts";
import { groupedBy } from "../../runtime/collections.ts";
import { formatBytes, formatCount, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { shownWhen } from "./fields.ts";
import { printDocument } from "./json-output.ts";
import { shownTitle } from "./shown-title.ts";

type Left = ArchivePlan["left"];

/** Sessions whose titles are shown; the rest is counted. */
const MOST_TITLES = 10;

export function bytesOf(sessions: readonly Session[]): number {
  return sessions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** The first sessions that are to be moved, a line each. */
export function sayTitles(context: Context, sessions: readonly Session[]): void {
  const { talk } = context;
  const { dim } = talk.paint;
  for (const session of sessions.slice(0, MOST_TITLES)) {
    const facts = [formatBytes(session.sizeBytes), shownWhen(context, session.modifiedAt)].join(" · ");
    talk.say(`${shownTitle(session)}  ${dim(facts)}`);
  }
  const more = sessions.length - MOST_TITLES;
  if (more > 0) talk.say(`and ${formatCount(more)} more`, dim);
}

/** What was asked for and stays, by reason. */
export function sayLeft({ talk }: Context, left: Left): void {
  for (const [why, those] of groupedBy(left, (each) => each.why)) {
    const [first] = those;
    const what =
      those.length === 1 && first
        ? `${shownTitle(first.session)} stays`
        : `${plural(those.length, "session")} stay`;
    talk.say(`${what}: ${oneLine(why)}.`, talk.paint.dim);
  }
}

export function leftDocument(left: Left): object[] {
  return left.map(({ session: { id, path, title }, why }) => ({ id, path, title, why }));
}

/** What was moved, and what was not. Resolves to the exit code. */
export function printMoved(
  context: Context,
  { verb, outcome, left }: { verb: "Archived" | "Restored"; outcome: MoveOutcome; left: Left },
): number {
  const { out, talk, json } = context;
  const { moved, failed } = outcome;
  const [bytes, packedBytes] = [
    moved.reduce((sum, each) => sum + each.bytes, 0),
    moved.reduce((sum, each) => sum + each.packedBytes, 0),
  ];
  if (json) {
    const documents = moved.map(({ session: { id, path, title }, ...each }) => ({
      id,
      path,
      title,
      ...each,
    }));
    const stays = leftDocument([...left, ...failed]);
    printDocument(out, { [verb.toLowerCase()]: documents, left: stays, bytes, packedBytes });
  }
  const sizes = verb === "Archived" ? [bytes, packedBytes] : [packedBytes, bytes];
  const [before, after] = sizes.map(formatBytes);
  if (moved.length > 0) talk.say(`${verb}: ${plural(moved.length, "session")}, ${before} → ${after}`);
  sayLeft(context, left);
  for (const { session, why } of failed) talk.note(`${shownTitle(session)} was not moved: ${oneLine(why)}`);
  return failed.length === 0 ? ExitCode.done : ExitCode.failed;
}
