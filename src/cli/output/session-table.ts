import { shortIds } from "../../format/ids.ts";
import type { Session } from "../../reports/answers.ts";
import { subagentsText } from "../../text/family.ts";
import { decimalsFor, formatCount, formatMoney } from "../../text/numbers.ts";
import type { Context } from "../command-line/command.ts";
import { shownPath, shownWhen } from "./fields.ts";
import { type AnswerColumn, answerTable } from "./table.ts";
import { shownTitle } from "./title.ts";

/** For people: a table that fits on a terminal. */
export function sessionTable(context: Context, sessions: readonly Session[]): string[] {
  return answerTable(context, sessionColumns(context, sessions), sessions);
}

/** How many columns `2026-11-03` takes, and `15 min ago`. */
const LONGEST_TIME = 10;

export function sessionColumns(context: Context, sessions: readonly Session[]): AnswerColumn<Session>[] {
  const { cyan, dim } = context.out.paint;
  const whole = sessions.map(({ id }) => id);
  const ids = context.out.isTerminal ? shortIds(whole) : whole;
  const hasSubagents = sessions.some(({ subagents }) => subagents.sessions > 0);
  return [
    { name: "id", value: ({ id }) => id, title: "Session", shown: ({ id }, at) => ids[at] ?? id, paint: dim },
    { name: "title", value: shownTitle, title: "Title", shrinkTo: 20, weight: 2 },
    {
      name: "project",
      value: ({ project }) => project,
      title: "Project",
      shown: (session) => shownPath(context, session.project) + (isPlaceless(context, session) ? " ✗" : ""),
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
    ...figureColumns(context, sessions),
    {
      name: "subagents",
      value: ({ subagents }) => subagents.sessions,
      ...(hasSubagents && { title: "" }),
      shown: withSubagents,
      expendable: 4,
      paint: dim,
    },
    { name: "cwd", value: ({ cwd }) => cwd },
    { name: "path", value: ({ path }) => path },
  ];
}

function figureColumns({ out }: Context, sessions: readonly Session[]): AnswerColumn<Session>[] {
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
function withSubagents({ subagents }: Session): string {
  return subagents.sessions === 0 ? "" : `+ ${subagentsText(subagents)}`;
}

/** The directory is gone, and nothing is known of another place: pi asks then where to go on. */
function isPlaceless({ world }: Context, { isCwdGone, resumeCwd }: Session): boolean {
  return isCwdGone && resumeCwd === null && !world.isDemo;
}
