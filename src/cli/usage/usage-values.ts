import type { ReportGrouping, UsageReport, UsageRow } from "../../reports/usage/usage-shapes.ts";
import { maskSecrets, maskTitle } from "../../text/secrets.ts";
import type { AnswerColumn } from "../output/table.ts";

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

/** A row, and whose figures stand in it: its own, or those of one of its models. */
interface ValueRow {
  row: UsageRow;
  figures: UsageRow;
}

/** The rows as values under the field names of the JSON, secrets masked as in the table; with a breakdown one for each model of a row. */
export function usageValues(
  { rows, by, estimatedCost }: UsageReport,
  options: { breakdown: boolean },
): { columns: AnswerColumn<ValueRow>[]; rows: ValueRow[] } {
  const names = estimatedCost === undefined ? FIGURES : [...FIGURES, ...ESTIMATE];
  const ofModel: AnswerColumn<ValueRow> = { name: "model", value: ({ figures }) => figures.key };
  return {
    columns: [
      ...(by === "session" ? SESSION_COLUMNS : [keyColumn(by)]),
      ...(options.breakdown ? [ofModel] : []),
      ...names.map((name) => ({ name, value: ({ figures }: ValueRow) => figures[name] ?? null })),
    ],
    rows: rows.flatMap((row) =>
      (options.breakdown ? (row.models ?? []) : [row]).map((figures) => ({ row, figures })),
    ),
  };
}

function keyColumn(by: ReportGrouping): AnswerColumn<ValueRow> {
  return { name: "key", value: ({ row }) => (by === "label" ? maskSecrets(row.key) : row.key) };
}

const SESSION_COLUMNS: readonly AnswerColumn<ValueRow>[] = [
  { name: "key", value: ({ row }) => row.key },
  { name: "label", value: ({ row }) => maskTitle(row.label ?? "") },
  { name: "path", value: ({ row }) => row.path ?? null },
];
