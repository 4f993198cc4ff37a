import { sanitise } from "./sanitise.ts";

export interface DelimitedOptions {
  delimiter: "," | "\t";
  /** Whether values stay as they are: no protection against formulas, control characters kept. */
  raw: boolean;
}

// CWE-1236: a spreadsheet runs a field that begins like this as a formula.
const FORMULA = /^[=+\-@\t\r\n\0＝＋－＠]/;
const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** RFC 4180 lines, header first, made one by one. Rows are in the order of `columns`. */
export function* formatDelimited(
  columns: readonly string[],
  rows: Iterable<readonly unknown[]>,
  options: DelimitedOptions,
): Generator<string> {
  const line = (fields: readonly unknown[]): string =>
    fields.map((field) => formatField(field, options)).join(options.delimiter);
  yield line(columns);
  for (const row of rows) yield line(row);
}

/** One field: text that a spreadsheet would take for a formula gets an apostrophe in front, unless it is a number. */
export function formatField(value: unknown, { delimiter, raw }: DelimitedOptions): string {
  const text = cellText(value);
  const safe = raw ? text : protect(text, value);
  const needsQuotes = safe.includes(delimiter) || /["\r\n]/.test(safe);
  return needsQuotes ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** An SQLite value as text: blobs are hexadecimal, NULL is empty. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return String(value);
}

function protect(text: string, value: unknown): string {
  if (typeof value !== "string" || NUMBER.test(text)) return text;
  const clean = sanitise(text);
  // Tested before and after: a formula may also stand behind a control character.
  return FORMULA.test(text) || FORMULA.test(clean) ? `'${clean}` : clean;
}
