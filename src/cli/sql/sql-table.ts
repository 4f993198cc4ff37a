import type { SqlValue } from "../../reports/sql/sql-rows.ts";
import { cellText } from "../../text/csv.ts";
import { oneLine } from "../../text/sanitise.ts";
import { cut } from "../../text/width.ts";
import { formatDefinitions } from "../output/snippet-lines.ts";
import { type Column, fitsInto, formatTable } from "../output/table.ts";
import type { Output } from "../terminal/output.ts";

/** Prints an answer while its rows come in. */
export interface SqlPrinter {
  /** Called at least once; without rows for an answer that has none. */
  rows(columns: readonly string[], rows: readonly SqlValue[][]): void;
  end(): void;
  /** Called instead of `end` if the statement is ended early: closes what was begun, so that it can be read. */
  breakOff(): void;
}

/** Prints at the end: widths are known only when all rows are there. */
export function tablePrinter(out: Output): SqlPrinter {
  let names: readonly string[] = [];
  const cells: SqlValue[][] = [];
  return {
    rows(columns, rows) {
      names = columns;
      for (const row of rows) cells.push(row);
    },
    end: () => out.print(rowTable(names, cells, out)),
    breakOff() {
      // Nothing has been printed yet.
    },
  };
}

/** One line for each row; if the columns do not fit, one line for each column of a row. */
function rowTable(names: readonly string[], cells: readonly unknown[][], out: Output): string[] {
  const columns = names.map((title, index): Column => {
    const isNumeric = cells.length > 0 && cells.every((row) => isNumberOrNull(row[index]));
    return isNumeric ? { title, align: "right" } : { title, shrinkTo: 8 };
  });
  const rows = cells.map((row) => row.map(cellText));
  if (out.width !== undefined && !fitsInto(columns, rows, out.width)) return records(names, rows, out);
  return formatTable(columns, rows, { width: out.width, paintTitle: out.paint.dim });
}

/** The most lines of a value where each column has a line. */
const RECORD_LINES = 5;

/** Rows with more columns than fit on a line: a line for each column. */
function records(names: readonly string[], rows: readonly (readonly string[])[], out: Output): string[] {
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
