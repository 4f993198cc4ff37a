import type { UsageReport, UsageRow } from "../../query/results.ts";
import { formatDelimited } from "../output/csv.ts";

const FIGURES = [
  "requests",
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "totalTokens",
  "cost",
  "unpriced",
  "cacheHitRate",
  "cacheSavings",
] as const satisfies readonly (keyof UsageRow)[];

/** The rows under the names they have in JSON; with a breakdown a line for each model of a row. */
export function usageCsv({ rows, by }: UsageReport, options: { breakdown: boolean }): string[] {
  const named = by === "session" ? ["label", "path"] : [];
  const columns = ["key", ...named, ...(options.breakdown ? ["model"] : []), ...FIGURES];
  const lines = rows.flatMap((row) => {
    const names = by === "session" ? [row.key, row.label, row.path] : [row.key];
    if (!options.breakdown) return [[...names, ...figuresOf(row)]];
    return (row.models ?? []).map((model) => [...names, model.key, ...figuresOf(model)]);
  });
  return formatDelimited(columns, lines, { delimiter: ",", raw: false });
}

function figuresOf(row: UsageRow): (number | null)[] {
  return FIGURES.map((name) => row[name]);
}
