import type { UsageGrouping, UsageReport, UsageRow } from "../../reports/usage/usage-shapes.ts";
import { maskSecrets, maskTitle } from "../../text/secrets.ts";
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
  "averageMs",
  "tokensPerSecond",
] as const satisfies readonly (keyof UsageRow)[];

/** The rows as CSV, with the field names of the JSON; with a breakdown one line for each model of a row. */
export function usageCsv({ rows, by }: UsageReport, options: { breakdown: boolean }): string[] {
  const named = by === "session" ? ["label", "path"] : [];
  const columns = ["key", ...named, ...(options.breakdown ? ["model"] : []), ...FIGURES];
  const lines = rows.flatMap((row) => {
    const names = namesOf(row, by);
    if (!options.breakdown) return [[...names, ...figuresOf(row)]];
    return (row.models ?? []).map((model) => [...names, model.key, ...figuresOf(model)]);
  });
  return formatDelimited(columns, lines, { delimiter: ",", raw: false });
}

/** Secrets are masked, as in the table. */
function namesOf(row: UsageRow, by: UsageGrouping): (string | null | undefined)[] {
  if (by === "session") return [row.key, maskTitle(row.label ?? ""), row.path];
  return [by === "label" ? maskSecrets(row.key) : row.key];
}

function figuresOf(row: UsageRow): (number | null)[] {
  return FIGURES.map((name) => row[name]);
}
