import { SessionDbError } from "../../errors.ts";
import { type Args, countOf, isSet, textOf } from "../args.ts";
import { INDEX_OPTIONS, withIndex } from "../catch-up.ts";
import { type Command, type Context, ExitCode } from "../command.ts";
import { cellText, formatDelimited } from "../output/csv.ts";
import { formatDefinitions } from "../output/definitions.ts";
import { toSafeJson } from "../output/json.ts";
import { plural } from "../output/numbers.ts";
import { oneLine } from "../output/sanitise.ts";
import { type Column, fitsInto, formatTable } from "../output/table.ts";
import { cut } from "../output/width.ts";
import type { Input } from "../world.ts";

const FORMATS = ["json", "csv", "tsv", "nl"] as const;
const TABLE_LIMIT = 1000;

interface Rows {
  columns: string[];
  rows: Record<string, unknown>[];
  truncated: boolean;
}

export const sql: Command = {
  positionals: { query: "One SELECT statement; - or nothing reads it from standard input" },
  options: {
    csv: { type: "boolean", describe: "Comma-separated values (RFC 4180)" },
    tsv: { type: "boolean", describe: "The same with tabs" },
    nl: { type: "boolean", describe: "One JSON object a line" },
    raw: {
      type: "boolean",
      describe: "csv and tsv: values as they are, formulas and control characters too",
    },
    limit: {
      type: "string",
      describe: `How many rows at most, 0 = all [default: all; tables ${TABLE_LIMIT}]`,
    },
    ...INDEX_OPTIONS,
  },
  examples: [
    ['$0 sql "SELECT cwd, count(*) FROM sessions GROUP BY cwd"', "sessions by project"],
    ["$0 sql --csv < report.sql > report.csv", "a statement from a file, for a spreadsheet"],
  ],
  async run(context, args) {
    const format = formatOf(args);
    const statement = await statementOf(args, context.world.stdin);
    const limit = countOf(args, "limit") ?? (format === undefined ? TABLE_LIMIT : 0);
    await withIndex(context, args, { search: false }, () => undefined);
    const { runSql } = await import("../../query/sql.ts");
    const found = runSql(context.config.location, statement, { limit });
    printRows(context, found, format, isSet(args, "raw"));
    if (found.truncated) {
      context.talk.print(`Only the first ${plural(found.rows.length, "row")}; --limit 0 shows all.`);
    }
    return ExitCode.done;
  },
};

type Format = (typeof FORMATS)[number] | undefined;

function formatOf(args: Args): Format {
  const asked = FORMATS.filter((format) => isSet(args, format));
  if (asked.length < 2) return asked[0];
  throw new SessionDbError(
    "usage",
    `${asked.map((format) => `--${format}`).join(" and ")} exclude each other`,
    {
      hint: "Choose one.",
    },
  );
}

async function statementOf(args: Args, stdin: Input): Promise<string> {
  const given = textOf(args, "query");
  if (given !== undefined && given !== "-") return given;
  if (given === undefined && stdin.isTTY === true) {
    throw new SessionDbError("usage", "no statement", {
      hint: 'Give one: sessiondb sql "SELECT ..."; sessiondb schema names the tables.',
    });
  }
  const statement = await readAll(stdin);
  if (statement.trim() !== "") return statement;
  throw new SessionDbError("usage", "standard input holds no statement", {
    hint: 'Give one: sessiondb sql "SELECT ...".',
  });
}

async function readAll(stdin: Input): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function printRows({ out, talk }: Context, found: Rows, format: Format, raw: boolean): void {
  out.print(...formatRows(found, format, raw, out));
  if (format === undefined) talk.print(talk.paint.dim(plural(found.rows.length, "row")));
}

function formatRows(found: Rows, format: Format, raw: boolean, out: Context["out"]): string[] {
  const cells = found.rows.map((row) => found.columns.map((column) => row[column]));
  switch (format) {
    case "json":
      return [toSafeJson(found.rows, 2)];
    case "nl":
      return found.rows.map((row) => toSafeJson(row));
    case "csv":
      return formatDelimited(found.columns, cells, { delimiter: ",", raw });
    case "tsv":
      return formatDelimited(found.columns, cells, { delimiter: "\t", raw });
    case undefined:
      return rowTable(found.columns, cells, out);
    default:
      return format satisfies never;
  }
}

function rowTable(names: readonly string[], cells: readonly unknown[][], out: Context["out"]): string[] {
  const columns = names.map((title, index): Column => {
    const isNumeric = cells.length > 0 && cells.every((row) => isNumberOrNull(row[index]));
    return isNumeric ? { title, align: "right" } : { title, shrinkTo: 8 };
  });
  const rows = cells.map((row) => row.map(cellText));
  if (out.width !== undefined && !fitsInto(columns, rows, out.width)) return records(names, rows, out);
  return formatTable(columns, rows, { width: out.width, paintTitle: out.paint.dim });
}

/** Lines a value may take where rows are set one below the other. */
const RECORD_LINES = 5;

/** Rows with more columns than fit beside each other: a line for each column. */
function records(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  out: Context["out"],
): string[] {
  const { dim } = out.paint;
  const width = out.width ?? 80;
  return rows.flatMap((row, index) => {
    const definitions = names.map((name, column) => ({
      terms: [name],
      about: cut(oneLine((row[column] ?? "").slice(0, width * RECORD_LINES)), width * (RECORD_LINES - 1)),
    }));
    const rule = dim(`── row ${index + 1} ${"─".repeat(Math.max(0, width - 10 - String(index).length))}`);
    return [rule, ...formatDefinitions(definitions, { width, paints: [dim] })];
  });
}

function isNumberOrNull(value: unknown): boolean {
  return value === null || typeof value === "number" || typeof value === "bigint";
}
