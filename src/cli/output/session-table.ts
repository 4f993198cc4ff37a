import { shortIds } from "../../format/ids.ts";
import type { Session } from "../../reports/answers.ts";
import { subagentsText } from "../../text/family.ts";
import { decimalsFor, formatCount, formatMoney } from "../../text/numbers.ts";
import type { Context } from "../command-line/command.ts";
import { shownPath, shownWhen } from "./fields.ts";
import { shownTitle } from "./shown-title.ts";
import { type AnswerColumn, answerTable } from "./table.ts";

/** For people: a table that fits on a terminal. */
export function sessionTable(context: Context, sessions: readonly Session[]): string[] {
  return answerTable(context, sessionColumns(context, sessions), sessions);
}

/** How many columns `2026-11-03` takes, and `15 min ago`. */
const LONGEST_TIME = 10;

export function sessionColumns(context: Context, sessions: readonly Session[]): AnswerColumn<Session>[] {
  const mark = (session: Session) =>
    (isPlaceless(context, session) ? " ✗" : "") + (session.archived ? " (archived)" : "");
  return [
    idColumn(context, sessions),
    { name: "title", value: shownTitle, title: "Title", shrinkTo: 20, weight: 2 },
    ...aboutColumns(context, sessions, mark),
    { name: "cwd", value: ({ cwd }) => cwd },
    { name: "path", value: ({ path }) => path },
  ];
}

/** What is shown of any session, wherever it is held. */
type Listed = Pick<
  Session,
  "id" | "title" | "project" | "modifiedAt" | "messageCount" | "usage" | "subagents"
>;

/** Sessions of several people: who held them stands beside their ids. */
export function teamSessionColumns<Row extends Listed & { author: string }>(
  context: Context,
  sessions: readonly Row[],
): AnswerColumn<Row>[] {
  const title = (session: Row) => (session.title === "" ? "" : shownTitle(session));
  return [
    idColumn(context, sessions),
    { name: "author", value: ({ author }) => author, title: "Who", shrinkTo: 8 },
    { name: "title", value: title, title: "Title", shrinkTo: 20, weight: 2 },
    ...aboutColumns(context, sessions, () => ""),
  ];
}

function idColumn<Row extends Listed>({ out }: Context, sessions: readonly Row[]): AnswerColumn<Row> {
  const whole = sessions.map(({ id }) => id);
  const ids = out.isTerminal ? shortIds(whole) : whole;
  const shown = ({ id }: Row, at: number) => ids[at] ?? id;
  return { name: "id", value: ({ id }) => id, title: "Session", shown, paint: out.paint.dim };
}

/** @param mark what stands behind a project */
function aboutColumns<Row extends Listed>(
  context: Context,
  sessions: readonly Row[],
  mark: (session: Row) => string,
): AnswerColumn<Row>[] {
  const { cyan, dim } = context.out.paint;
  const hasSubagents = sessions.some(({ subagents }) => subagents.sessions > 0);
  return [
    {
      name: "project",
      value: ({ project }) => project,
      title: "Project",
      shown: (session) => shownPath(context, session.project) + mark(session),
      shrinkTo: 12,
      cut: "path",
      expendable: 2,
      paint: cyan,
    },
    {
      name: "modifiedAt",
      value: ({ modifiedAt }) => modifiedAt,
      title: "Active",
      shown: ({ modifiedAt }) => shownWhen(context, modifiedAt),
      // Cut only where titles cannot be cut any further.
      shrinkTo: LONGEST_TIME,
      weight: 100,
    },
    ...figureColumns<Row>(context, sessions),
    {
      name: "subagents",
      value: ({ subagents }) => subagents.sessions,
      ...(hasSubagents && { title: "" }),
      shown: withSubagents,
      expendable: 4,
      paint: dim,
    },
  ];
}

function figureColumns<Row extends Listed>({ out }: Context, sessions: readonly Row[]): AnswerColumn<Row>[] {
  const most = sessions.reduce((highest, { usage }) => Math.max(highest, usage.cost), 0);
  const decimals = decimalsFor(most, out.width);
  return [
    {
      name: "messageCount",
      value: ({ messageCount }) => messageCount,
      title: "Messages",
      shown: ({ messageCount }) => formatCount(messageCount),
      align: "right",
      expendable: 3,
    },
    {
      name: "cost",
      value: ({ usage }) => usage.cost,
      title: "Cost",
      shown: ({ usage }) => formatMoney(usage.cost, decimals),
      align: "right",
      expendable: 1,
    },
  ];
}

/** What its sub-agents add to a session; empty where it has none. */
function withSubagents({ subagents }: Listed): string {
  return subagents.sessions === 0 ? "" : `+ ${subagentsText(subagents)}`;
}

/** The directory is gone, and nothing is known of another place: pi asks then where to go on. */
function isPlaceless({ world }: Context, { isCwdGone, resumeCwd }: Session): boolean {
  return isCwdGone && resumeCwd === null && !world.isDemo;
}
