import type { Session } from "../../reports/answers.ts";
import { parentText, subagentsText } from "../../text/family.ts";
import { formatMoney, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapText } from "../../text/width.ts";
import { dayOf, formatSpan } from "../../time/calendar.ts";
import type { Context } from "../command-line/command.ts";
import { shownPath } from "./fields.ts";

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
    subagentsText(session.subagents),
  ].filter((fact) => fact !== "" && fact !== "-");
  const { parentPath } = session;
  const parent = oneLine(parentText(session, parentPath === null ? null : shownPath(context, parentPath)));
  const lines = (text: string, paint: (line: string) => string): string[] =>
    wrapText(oneLine(text), out.width).map(paint);
  return [
    ...lines(title, bold),
    ...lines(placeText(context, session), cyan),
    ...lines(facts.join(" · "), dim),
    dim(shownPath(context, session.path)),
    ...(parent === "" ? [] : [dim(parent)]),
  ];
}

/** The working directory, and whose it is where that is another. */
function placeText(context: Context, { cwd, project }: Session): string {
  const place = shownPath(context, cwd);
  return project === cwd ? place : `${place} (of ${shownPath(context, project)})`;
}
