import { tildePath } from "../../files/paths.ts";
import { shortIds } from "../../format/ids.ts";
import type { Session } from "../../reports/answers.ts";
import { subagentsText } from "../../text/family.ts";
import { decimalsFor, formatCount, formatMoney } from "../../text/numbers.ts";
import type { Context } from "../command-line/command.ts";
import { shownWhen } from "./fields.ts";
import { type Column, formatTable } from "./table.ts";
import { shownTitle } from "./title.ts";

/** On a terminal a table that fits; elsewhere one with every id, path and time in full. */
export function sessionTable(context: Context, sessions: readonly Session[]): string[] {
  const { out } = context;
  const hasSubagents = sessions.some(({ subagents }) => subagents.sessions > 0);
  const columns = [
    ...(out.isTerminal ? terminalColumns(context) : FULL_COLUMNS),
    ...(hasSubagents ? [{ title: "", expendable: 4, paint: out.paint.dim }] : []),
  ];
  const ids = shortIds(sessions.map((session) => session.id));
  const decimals = decimalsFor(
    sessions.reduce((most, { usage }) => Math.max(most, usage.cost), 0),
    out.width,
  );
  const costOf = ({ usage }: Session): string => formatMoney(usage.cost, decimals);
  const rows = out.isTerminal
    ? sessions.map((session, index) =>
        terminalCells(context, session, { id: ids[index] ?? session.id, cost: costOf(session) }),
      )
    : sessions.map((session) => fullCells(session, costOf(session)));
  return formatTable(columns, rows, { width: out.width, paintTitle: out.paint.dim });
}

/** How many columns `2026-11-03` takes, and `15 min ago`. */
const LONGEST_TIME = 10;

function terminalColumns({ out }: Context): Column[] {
  const { cyan, dim } = out.paint;
  return [
    { title: "Session", paint: dim },
    { title: "Title", shrinkTo: 20, weight: 2 },
    { title: "Project", shrinkTo: 12, cut: "path", expendable: 2, paint: cyan },
    // Cut only where titles cannot be cut any further.
    { title: "Active", shrinkTo: LONGEST_TIME, weight: 100 },
    { title: "Messages", align: "right", expendable: 3 },
    { title: "Cost", align: "right", expendable: 1 },
  ];
}

function terminalCells(
  context: Context,
  session: Session,
  { id, cost }: { id: string; cost: string },
): string[] {
  return [
    id,
    shownTitle(session),
    shownProject(session, tildePath(session.cwd, context.world.home)),
    shownWhen(context, session.modifiedAt),
    formatCount(session.messageCount),
    cost,
    withSubagents(session),
  ];
}

/** What its sub-agents add to a session; empty where it has none. */
function withSubagents({ subagents }: Session): string {
  return subagents.sessions === 0 ? "" : `+ ${subagentsText(subagents)}`;
}

/** Says where the directory is gone: pi asks then where to go on. */
function shownProject({ isCwdGone }: Session, cwd: string): string {
  return isCwdGone ? `${cwd} ✗` : cwd;
}

/** Columns that vary most in length come last, so that the others stay close together. */
const FULL_COLUMNS: readonly Column[] = [
  { title: "Session" },
  { title: "Active" },
  { title: "Messages", align: "right" },
  { title: "Cost", align: "right" },
  { title: "Project" },
  { title: "File" },
  { title: "Title" },
];

function fullCells(session: Session, cost: string): string[] {
  return [
    session.id,
    session.modifiedAt,
    formatCount(session.messageCount),
    cost,
    shownProject(session, session.cwd),
    session.path,
    shownTitle(session),
    withSubagents(session),
  ];
}
