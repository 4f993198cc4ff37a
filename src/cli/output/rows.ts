import { cellText, formatDelimited } from "../../text/csv.ts";
import { oneLine } from "../../text/sanitise.ts";
import { type Args, isSet } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";
import type { OptionTable } from "../command-line/options.ts";
import { notTogether } from "../command-line/usage-errors.ts";
import type { Output } from "../terminal/output.ts";
import { printLines } from "./json-output.ts";
import type { AnswerColumn } from "./table.ts";

const FORMATS = ["csv", "tsv", "ndjson"] as const;
/** `table` stands for what is shown to people. */
export type RowFormat = (typeof FORMATS)[number] | "json" | "table";

/** The option of commands whose documents end in a list. */
export const LINES_OPTION = { ndjson: { describe: "One JSON object a line" } } satisfies OptionTable;

/** The options of commands whose answers are rows. */
export const ROW_OPTIONS: OptionTable = {
  csv: { describe: "Comma-separated values, for spreadsheets, with the names of --json" },
  tsv: { describe: "Tab-separated values, as by default where stdout is no terminal" },
  ...LINES_OPTION,
  "no-header": { describe: "csv and tsv: without the line of names" },
};

/** How rows are to be printed. @throws SessionDbError `usage` for formats that exclude each other */
export function rowFormatOf({ out, json }: Pick<Context, "out" | "json">, args: Args): RowFormat {
  const asked: RowFormat[] = [
    ...(json ? ["json" as const] : []),
    ...FORMATS.filter((each) => isSet(args, each)),
  ];
  if (asked.length < 2) return asked[0] ?? (out.isTerminal ? "table" : "tsv");
  throw notTogether(...asked.map((format) => `--${format}`));
}

/** Prints rows for programs, except as one document. `items` are what JSON calls them, where they differ from the rows. */
export function printRows<Row>(
  out: Output,
  {
    columns,
    rows,
    items = rows,
  }: { columns: readonly AnswerColumn<Row>[]; rows: readonly Row[]; items?: readonly unknown[] },
  { format, args }: { format: Exclude<RowFormat, "json" | "table">; args: Args },
): void {
  if (format === "ndjson") printLines(out, items);
  else {
    const names = columns.map(({ name }) => name);
    out.print(delimited(names, cellsOf(columns, rows), { format, hasHeader: !isSet(args, "no-header") }));
  }
}

function* cellsOf<Row>(columns: readonly AnswerColumn<Row>[], rows: readonly Row[]): Generator<unknown[]> {
  for (const row of rows) yield columns.map((column) => column.value(row));
}

/**
 * Lines of values. Those between tabs are for `cut`, `awk` and `fzf`: on one line each, never in quotes, and no line at all
 * where there is nothing.
 */
function* delimited(
  names: readonly string[],
  rows: Iterable<readonly unknown[]>,
  { format, hasHeader }: { format: "csv" | "tsv"; hasHeader: boolean },
): Generator<string> {
  if (format === "csv") {
    const lines = formatDelimited(names, rows, { delimiter: ",", raw: false });
    if (!hasHeader) lines.next();
    yield* lines;
    return;
  }
  let isFirst = true;
  for (const row of rows) {
    if (isFirst && hasHeader) yield names.join("\t");
    isFirst = false;
    yield row.map((value) => oneLine(cellText(value))).join("\t");
  }
}
