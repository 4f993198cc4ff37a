import type { Session } from "../../reports/answers.ts";
import { formatMoney, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapText } from "../../text/width.ts";
import { dayOf, formatSpan } from "../../time/calendar.ts";
import type { Context } from "../command-line/command.ts";
import { shownPath } from "./fields.ts";
import { withSubagents } from "./session-table.ts";

/** Lines about a session, to stand before its entries. `title`: as it is to be shown. */
export function sessionHead(context: Context, session: Session, title: string): string[] {
  const { out, config } = context;
  const { bold, cyan, dim } = out.paint;
  const { createdAt, modifiedAt } = session;
  const facts = [
    formatSpan(createdAt ?? modifiedAt, modifiedAt, (ms) => dayOf(ms, config.timezone)),
    plural(session.messageCount, "message"),
    formatMoney(session.usage.cost),
    session.models.join(", "),
    withSubagents(session),
  ].filter((fact) => fact !== "" && fact !== "-");
  const parent = parentOf(context, session);
  const lines = (text: string, paint: (line: string) => string): string[] =>
    wrapText(oneLine(text), out.width).map(paint);
  return [
    ...lines(title, bold),
    ...lines(shownPath(context, session.cwd), cyan),
    ...lines(facts.join(" · "), dim),
    dim(shownPath(context, session.path)),
    ...(parent === null ? [] : [dim(parent)]),
  ];
}

/** Why a session has a parent, and which; null where it has none. */
function parentOf(context: Context, { origin, agent, parentPath }: Session): string | null {
  const parent = parentPath === null ? null : shownPath(context, parentPath);
  if (origin === "subagent")
    return `sub-agent ${oneLine(agent ?? "")}${parent === null ? "" : ` of ${parent}`}`;
  if (parent === null) return null;
  return `${origin === "fork" ? "forked from" : "goes on from"} ${parent}`;
}
