import { cellText } from "../../text/csv.ts";
import { oneLine } from "../../text/sanitise.ts";
import { type CutSide, cut, pad, widthOf } from "../../text/width.ts";
import type { Context } from "../command-line/command.ts";

export interface Column {
  title: string;
  align?: "left" | "right";
  /** May be cut down to this many columns; absent: never cut. */
  shrinkTo?: number;
  /** When columns are cut, one with twice the weight keeps twice the width; by default 1. */
  weight?: number;
  /** The side that is cut off; by default the end. */
  cut?: CutSide;
  /** Left out on narrow terminals, the highest number first; absent: never left out. */
  expendable?: number;
  /** Colours a finished cell. */
  paint?: (cell: string) => string;
}

/** A column of an answer, declared once: what a program gets, and what a terminal shows. */
export interface AnswerColumn<Row> extends Omit<Column, "title"> {
  /** Its name for programs, as in `--json`. */
  name: string;
  /** For programs, whole; secrets are masked here, as on a terminal. */
  value(row: Row): string | number | boolean | null;
  /** Its title on a terminal; without one it is for programs only. */
  title?: string;
  /** A cell on a terminal; the value unless told. */
  shown?(row: Row, index: number): string;
}

export interface TableOptions {
  /** Columns of the terminal to fit into; undefined for a table of any width, with nothing cut. */
  width: number | undefined;
  paintTitle?: (title: string) => string;
  /** The cells of a last row, set off by a line. */
  totals?: readonly string[];
}

const GAP = "  ";

/**
 * How much of a cell is looked at for each column of the terminal, in UTF-16 units: a first message may be megabytes long,
 * and what takes no column (marks, sequences that are removed) must not use it up.
 */
const UNITS_A_COLUMN = 4;

/**
 * The lines of a table without borders, and without a line of titles where no column has one. Titles and cells are plain
 * text from anywhere: they are sanitised here.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string[] {
  const clip = options.width === undefined ? Number.POSITIVE_INFINITY : options.width * UNITS_A_COLUMN;
  const body = rows.map((row) => row.map((cell) => oneLine(cell.slice(0, clip))));
  const totals = options.totals?.map(oneLine);
  const all = totals === undefined ? body : [...body, totals];
  const shown = fitColumns(columns, naturalWidths(columns, all), options.width);
  const line = (cells: readonly string[], finish: (text: string, column: Column) => string): string =>
    shown
      .map(({ index, width, column }) => finish(fill(cells[index] ?? "", width, column), column))
      .join(GAP)
      .trimEnd();
  const titles = line(
    columns.map((column) => oneLine(column.title)),
    (text) => (options.paintTitle ?? identity)(text),
  );
  const finished = body.map((row) => line(row, (text, column) => (column.paint ?? identity)(text)));
  const head = columns.some(({ title }) => title !== "") ? [titles] : [];
  if (totals === undefined) return [...head, ...finished];
  const rule = shown.map(({ width, column }) => (column.title === "" ? " " : "─").repeat(width)).join(GAP);
  return [...head, ...finished, (options.paintTitle ?? identity)(rule.trimEnd()), line(totals, identity)];
}

/** Rows as a table for people. */
export function answerTable<Row>(
  { out }: Pick<Context, "out">,
  columns: readonly AnswerColumn<Row>[],
  rows: readonly Row[],
): string[] {
  const shown = columns.flatMap(({ title, ...column }) =>
    title === undefined ? [] : [{ ...column, title }],
  );
  const cells = rows.map((row, index) =>
    shown.map((column) => column.shown?.(row, index) ?? cellText(column.value(row))),
  );
  return formatTable(shown, cells, { width: out.width, paintTitle: out.paint.dim });
}

/** Whether a table can be cut to the width without leaving a column out. */
export function fitsInto(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): boolean {
  const natural = naturalWidths(
    columns,
    rows.map((row) => row.map((cell) => oneLine(cell.slice(0, width)))),
  );
  return leastWidth(columns.map((column, index) => ({ index, width: natural[index] ?? 0, column }))) <= width;
}

interface ShownColumn {
  index: number;
  width: number;
  column: Column;
}

/** Leaves out expendable columns until the rest can be cut to fit, then cuts the widest (by weight) first. */
function fitColumns(columns: readonly Column[], natural: readonly number[], width = Infinity): ShownColumn[] {
  let shown = columns.map((column, index) => ({ index, width: natural[index] ?? 0, column }));
  while (leastWidth(shown) > width) {
    const victim = mostExpendable(shown);
    if (victim === undefined) break;
    shown = shown.filter((each) => each !== victim);
  }
  shrink(shown, width, ({ shrinkTo }) => shrinkTo);
  // Narrower than the table was made for: columns are cut further, so that the terminal breaks no line.
  shrink(shown, width, ({ shrinkTo }) => (shrinkTo === undefined ? undefined : Math.min(TINY, shrinkTo)));
  return shown;
}

const TINY = 4;

function shrink(shown: ShownColumn[], width: number, leastOf: (column: Column) => number | undefined): void {
  while (totalWidth(shown) > width) {
    const widest = widestShrinkable(shown, leastOf);
    if (widest === undefined) return;
    widest.width--;
  }
}

function mostExpendable(shown: readonly ShownColumn[]): ShownColumn | undefined {
  const candidates = shown.filter(({ column }) => column.expendable !== undefined);
  return candidates.sort((a, b) => (b.column.expendable ?? 0) - (a.column.expendable ?? 0))[0];
}

function widestShrinkable(
  shown: readonly ShownColumn[],
  leastOf: (column: Column) => number | undefined,
): ShownColumn | undefined {
  const candidates = shown.filter(({ width, column }) => width > (leastOf(column) ?? width));
  const burden = ({ width, column }: ShownColumn): number => width / (column.weight ?? 1);
  return candidates.sort((a, b) => burden(b) - burden(a))[0];
}

function leastWidth(shown: readonly ShownColumn[]): number {
  return totalWidth(
    shown.map((each) => ({ ...each, width: Math.min(each.width, each.column.shrinkTo ?? each.width) })),
  );
}

function totalWidth(shown: readonly ShownColumn[]): number {
  return shown.reduce((sum, { width }) => sum + width, Math.max(0, shown.length - 1) * GAP.length);
}

function naturalWidths(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  return columns.map(({ title }, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? "")), widthOf(oneLine(title))),
  );
}

function fill(text: string, width: number, column: Column): string {
  return pad(cut(text, width, column.cut), width, column.align);
}

function identity(text: string): string {
  return text;
}
