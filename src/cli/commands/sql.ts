import { codeOf, SessionDbError } from "../../errors.ts";
import type { Cleaner } from "../../render/exported-session.ts";
import { assertReads } from "../../reports/sql/read-only-gate.ts";
import type { SqlBatch, SqlValue } from "../../reports/sql/sql-rows.ts";
import { isDamage } from "../../store/sqlite-errors.ts";
import { formatCount, plural } from "../../text/numbers.ts";
import { type Args, countOf, isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { REVEAL_OPTION } from "../command-line/options.ts";
import { SQL_FORMATS, type SqlFormat, sqlPrinter } from "../sql/sql-printer.ts";
import type { SqlPrinter } from "../sql/sql-table.ts";
import type { Output } from "../terminal/output.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

const TABLE_LIMIT = 1000;
const LIMIT = 1_000_000;
/** The most characters of a value: lines of session files hold images. */
const CELL_LIMIT = 1_000_000;
const TIMEOUT_S = 10;

export const sql: Command = {
  pages: true,
  takesEmptyWords: () => true,
  positionals: {
    query: "One SELECT statement and values for its ?; read from standard input if it is - or missing",
  },
  options: {
    csv: { describe: "Comma-separated values (RFC 4180)" },
    tsv: { describe: "Tab-separated values" },
    ndjson: { describe: "One JSON object a line; --nl is the same" },
    nl: { describe: "One JSON object a line" },
    "no-header": { describe: "csv and tsv: without the line of names" },
    raw: {
      describe: "csv and tsv: leave values as they are, even formulas and control characters",
    },
    param: { value: "NAME=VALUE", alias: "p", describe: "Value for :NAME (repeatable)" },
    file: { value: "FILE", alias: "f", completes: "files", describe: "Read the statement from this file" },
    timeout: {
      value: "SECONDS",
      describe: `Give up after N seconds, 0 = never [default: ${TIMEOUT_S}]`,
    },
    limit: {
      value: "N",
      describe: `Maximum number of rows, 0 = all [default: ${formatCount(LIMIT)}; tables ${formatCount(TABLE_LIMIT)}]`,
    },
    ...REVEAL_OPTION,
    "cell-limit": {
      value: "N",
      describe: `Maximum number of characters per value, 0 = all [default: ${formatCount(CELL_LIMIT)}]`,
    },
    ...INDEX_OPTIONS,
  },
  examples: [
    ['$0 sql "SELECT cwd, count(*) FROM sessions GROUP BY cwd"', "sessions by project"],
    ["$0 sql --csv < report.sql > report.csv", "a statement from standard input, for a spreadsheet"],
    ['$0 sql "SELECT * FROM usage_daily WHERE day >= :from" -p from=2026-11-01', "with a value"],
    [
      '$0 sql "SELECT entry_json(key) FROM entries WHERE entry_id = ?" 70c5dd8a',
      "an entry as it is in its file; with --reveal also its secrets",
    ],
  ],
  async run(context, args) {
    const { world, out } = context;
    const format = formatOf(args);
    const limits = limitsOf(args, format);
    const timeoutMs = timeoutOf(args);
    const { readStatement } = await import("../sql/statement.ts");
    const statement = await readStatement(args, world);
    assertReads(statement.sql);
    const { SqlProcess } = await import("../../reports/sql/sql-client.ts");
    // Begun before the index catches up, because each of the two takes as long as a whole command should.
    let child = new SqlProcess(world.sqlProgram);
    let isAsked = false;
    try {
      const batches = await withIndex(context, args, { search: false }, ({ location }) => {
        // A process runs one statement only.
        if (isAsked) {
          child.end();
          child = new SqlProcess(world.sqlProgram);
        }
        isAsked = true;
        return begun(child.run({ location, ...statement, limits }, timeoutMs));
      });
      const printer = await sqlPrinter(format, out, {
        raw: isSet(args, "raw"),
        hasHeader: !isSet(args, "no-header"),
      });
      const { Cleaner } = await import("../../render/exported-session.ts");
      const clean = new Cleaner({ reveal: isSet(args, "reveal") });
      const count = await printAll(batches, masking(printer, clean), out);
      printNotes(context, format, count, limits.cellLimit);
    } finally {
      child.end();
    }
    return ExitCode.done;
  },
};

/** Waits for the first rows of an answer: from then on it does not see later changes of the index. */
async function begun<T>(answer: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const first = await answer.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* answer;
  })();
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
  const names = asked.map((format) => `--${format}`).join(" and ");
  throw new SessionDbError("usage", `${names} cannot be used together`, { hint: "Leave one out." });
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
