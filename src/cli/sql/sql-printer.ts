import { distinctNames, toObject } from "../../reports/sql/run-sql.ts";
import type { SqlValue } from "../../reports/sql/sql-rows.ts";
import { type DelimitedOptions, formatDelimited } from "../../text/csv.ts";
import { toSafeJson } from "../../text/safe-json.ts";
import type { Output } from "../terminal/output.ts";
import type { SqlPrinter } from "./sql-table.ts";

export const SQL_FORMATS = ["json", "csv", "tsv", "nl"] as const;
export type SqlFormat = (typeof SQL_FORMATS)[number] | "table";

/** @param options.raw whether csv and tsv are without protection against formulas and control characters */
export async function sqlPrinter(
  format: SqlFormat,
  out: Output,
  { raw, hasHeader }: { raw: boolean; hasHeader: boolean },
): Promise<SqlPrinter> {
  switch (format) {
    case "json":
      return jsonPrinter(out);
    case "nl":
      return {
        rows: (columns, rows) => out.print(objects(columns, rows).map((row) => toSafeJson(row))),
        end,
        breakOff: end,
      };
    case "csv":
      return delimitedPrinter(out, { delimiter: ",", raw }, hasHeader);
    case "tsv":
      return delimitedPrinter(out, { delimiter: "\t", raw }, hasHeader);
    case "table":
      // Loaded here: the module that measures text takes longer to load than all the rest.
      return (await import("./sql-table.ts")).tablePrinter(out);
    default:
      return format satisfies never;
  }
}

function end(): void {
  // Nothing follows the last row.
}

function objects(columns: readonly string[], rows: readonly SqlValue[][]): object[] {
  const names = distinctNames(columns);
  return rows.map((row) => toObject(names, row));
}

/** One array, formatted as by `JSON.stringify`. */
function jsonPrinter(out: Output): SqlPrinter {
  let waiting: string | undefined;
  const close = () => (waiting === undefined ? undefined : out.print([waiting, "]"]));
  return {
    rows(columns, rows) {
      for (const row of objects(columns, rows)) {
        if (waiting === undefined) out.print("[");
        else out.print(`${waiting},`);
        waiting = `  ${toSafeJson(row, 2).replaceAll("\n", "\n  ")}`;
      }
    },
    end: () => (waiting === undefined ? out.print("[]") : close()),
    breakOff: close,
  };
}

function delimitedPrinter(out: Output, options: DelimitedOptions, hasHeader: boolean): SqlPrinter {
  let isFirst = hasHeader;
  return {
    rows(columns, rows) {
      const lines = formatDelimited(columns, rows, options);
      if (!isFirst) lines.next();
      out.print(lines);
      isFirst = false;
    },
    end,
    breakOff: end,
  };
}
