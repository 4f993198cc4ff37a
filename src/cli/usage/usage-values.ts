import type { ReportGrouping, UsageReport, UsageRow } from "../../reports/usage/usage-shapes.ts";
import { maskSecrets, maskTitle } from "../../text/secrets.ts";

const FIGURES = [
  "requests",
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "totalTokens",
  "cost",
  "unpriced",
  "costFromProvider",
  "cacheHitRate",
  "cacheSavings",
  "averageMs",
  "tokensPerSecond",
] as const satisfies readonly (keyof UsageRow)[];

/** What stands beside them where it was asked for. */
const ESTIMATE = ["estimatedCost", "estimatedRequests"] as const satisfies readonly (keyof UsageRow)[];

/** The rows as values under the field names of the JSON; with a breakdown one for each model of a row. */
export function usageValues(
  { rows, by, estimatedCost }: UsageReport,
  options: { breakdown: boolean },
): { names: string[]; rows: unknown[][] } {
  const named = by === "session" ? ["label", "path"] : [];
  const figures = estimatedCost === undefined ? FIGURES : [...FIGURES, ...ESTIMATE];
  const figuresOf = (row: UsageRow) => figures.map((name) => row[name]);
  const names = ["key", ...named, ...(options.breakdown ? ["model"] : []), ...figures];
  const values = rows.flatMap((row) => {
    const keys = namesOf(row, by);
    if (!options.breakdown) return [[...keys, ...figuresOf(row)]];
    return (row.models ?? []).map((model) => [...keys, model.key, ...figuresOf(model)]);
  });
  return { names, rows: values };
}

/** Secrets are masked, as in the table. */
function namesOf(row: UsageRow, by: ReportGrouping): (string | null | undefined)[] {
  if (by === "session") return [row.key, maskTitle(row.label ?? ""), row.path];
  return [by === "label" ? maskSecrets(row.key) : row.key];
}
