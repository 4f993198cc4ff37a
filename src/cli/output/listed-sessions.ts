import { formatCount, plural } from "../../text/numbers.ts";
import type { Args } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";
import { type Explained, noteUnmatched, printNothing } from "./empty-answer.ts";
import { printDocumentWithList } from "./json-output.ts";
import { printRows, type RowFormat } from "./rows.ts";
import { type AnswerColumn, answerTable } from "./table.ts";

/** Sessions as they are found: `items` are what JSON calls them, where they differ. */
interface FoundSessions<Row> {
  total: number;
  sessions: readonly Row[];
  items?: readonly unknown[];
}

interface SessionListOptions<Row> {
  format: RowFormat;
  args: Args;
  columns: (context: Context, sessions: readonly Row[]) => AnswerColumn<Row>[];
  /** Whether nothing was asked but all sessions. */
  isOpen: boolean;
}

/** Prints a list of sessions in any format, and what it lacks. */
export function printSessions<Row>(
  context: Context,
  { found, unmatched }: Explained<FoundSessions<Row>>,
  { format, args, columns, isOpen }: SessionListOptions<Row>,
): void {
  const { total, sessions, items = sessions } = found;
  if (format === "json") {
    noteUnmatched(context, unmatched);
    printDocumentWithList(context.out, { total }, "sessions", items);
    return;
  }
  if (total === 0)
    printNothing(context, isOpen ? "There are no sessions." : "No session matches.", unmatched);
  if (format !== "table")
    printRows(context.out, { columns: columns(context, sessions), rows: sessions, items }, { format, args });
  else if (total > 0) context.out.print(answerTable(context, columns(context, sessions), sessions));
  sayMore(context, total, sessions.length);
}

function sayMore({ talk }: Context, total: number, count: number): void {
  if (total <= count) return;
  talk.say(`${formatCount(count)} of ${plural(total, "session")}; --limit 0 shows all`, talk.paint.dim);
}
