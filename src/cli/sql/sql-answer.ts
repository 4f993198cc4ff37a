import { codeOf, SessionDbError } from "../../errors.ts";
import type { Cleaner } from "../../render/exported-session.ts";
import type { SqlBatch, SqlLimits, SqlValue } from "../../reports/sql/sql-rows.ts";
import { isDamage } from "../../store/sqlite-errors.ts";
import { formatCount, plural } from "../../text/numbers.ts";
import { type Args, countOf, isSet, textOf } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";
import { notTogether } from "../command-line/usage-errors.ts";
import type { Output } from "../terminal/output.ts";
import { SQL_FORMATS, type SqlFormat, sqlPrinter } from "./sql-printer.ts";
import type { SqlPrinter } from "./sql-table.ts";

export const TABLE_LIMIT = 1000;
export const LIMIT = 1_000_000;
/** The most characters of a value: lines of session files hold images. */
export const CELL_LIMIT = 1_000_000;
export const TIMEOUT_S = 10;

/** How an answer is to be printed, and how much of it. */
export interface SqlShape {
  format: SqlFormat;
  limits: Required<SqlLimits>;
  timeoutMs: number;
}

/** @throws SessionDbError `usage` */
export function sqlShapeOf(args: Args): SqlShape {
  const format = formatOf(args);
  return { format, limits: limitsOf(args, format), timeoutMs: timeoutOf(args) };
}

/** Prints an answer while its rows come in, without secrets unless they are asked for. */
export async function printAnswer(
  context: Context,
  args: Args,
  { format, limits }: SqlShape,
  batches: AsyncIterable<SqlBatch>,
): Promise<void> {
  const { out } = context;
  const printer = await sqlPrinter(format, out, {
    raw: isSet(args, "raw"),
    hasHeader: !isSet(args, "no-header"),
  });
  const { Cleaner } = await import("../../render/exported-session.ts");
  const clean = new Cleaner({ reveal: isSet(args, "reveal") });
  const count = await printAll(batches, masking(printer, clean), out);
  printNotes(context, format, count, limits.cellLimit);
}

/** Prints texts without secrets. */
function masking(printer: SqlPrinter, clean: Cleaner): SqlPrinter {
  const masked = (value: SqlValue) => (typeof value === "string" ? clean.json(value) : value);
  const rows: SqlPrinter["rows"] = (columns, rows) => {
    printer.rows(
      columns,
      rows.map((row) => row.map(masked)),
    );
  };
  return { ...printer, rows };
}

interface Count {
  rows: number;
  /** How many values were cut. */
  cut: number;
  truncated: boolean;
}

/** Prints all rows. If the statement is ended early, what was printed can still be read: an array of JSON is closed. */
async function printAll(batches: AsyncIterable<SqlBatch>, printer: SqlPrinter, out: Output): Promise<Count> {
  const count = { rows: 0, cut: 0, truncated: false };
  try {
    for await (const batch of batches) {
      printer.rows(batch.columns, batch.rows);
      count.rows += batch.rows.length;
      count.cut += batch.cut;
      count.truncated = batch.truncated;
      await out.drained();
    }
  } catch (error) {
    printer.breakOff();
    throw isDamage(codeOf(error)) ? brokenOff(error) : error;
  }
  printer.end();
  return count;
}

/** Rows that were printed cannot be taken back; the next command makes the index anew. */
function brokenOff(cause: unknown): SessionDbError {
  return new SessionDbError("index_corrupt", "the index is damaged, and the answer ends in the middle", {
    hint: "Run sessiondb sync, which makes the index anew, and then the statement again.",
    cause,
  });
}

function formatOf(args: Args): SqlFormat {
  const asked = SQL_FORMATS.filter(
    (format) => isSet(args, format) || (format === "nl" && isSet(args, "ndjson")),
  );
  if (asked.length < 2) return asked[0] ?? "table";
  throw notTogether(...asked.map((format) => `--${format}`));
}

function limitsOf(args: Args, format: SqlFormat): { limit: number; cellLimit: number } {
  return {
    limit: countOf(args, "limit") ?? (format === "table" ? TABLE_LIMIT : LIMIT),
    cellLimit: countOf(args, "cell-limit") ?? CELL_LIMIT,
  };
}

/** In ms. @throws SessionDbError `usage` */
function timeoutOf(args: Args): number {
  const text = textOf(args, "timeout") ?? String(TIMEOUT_S);
  const seconds = Number(text);
  if (/^\d*\.?\d+$/.test(text) && seconds <= 1_000_000) return seconds * 1000;
  throw new SessionDbError("usage", `--timeout takes seconds, not "${text}"`, { hint: "0 means no limit." });
}

function printNotes(
  { talk }: Context,
  format: SqlFormat,
  { rows, cut, truncated }: Count,
  cellLimit: number,
): void {
  if (format === "table") talk.say(plural(rows, "row"), talk.paint.dim);
  if (truncated) talk.say(`Showing the first ${plural(rows, "row")}; --limit 0 shows all.`);
  if (cut === 0) return;
  const cells = cut === 1 ? "1 value is" : `${formatCount(cut)} values are`;
  talk.say(`${cells} cut after ${formatCount(cellLimit)} characters; --cell-limit 0 shows all.`);
}
