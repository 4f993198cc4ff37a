import { parse } from "node:path";
import { SessionDbError } from "../../errors.ts";
import type { Sums, UsageGrouping, UsageReport, UsageRow } from "../../query/results.ts";

interface Names {
  /** What ccusage calls the rows. */
  rows: string;
  /** What names a row. */
  key: string;
}

const REPORTS: Partial<Record<UsageGrouping, Names>> = {
  daily: { rows: "daily", key: "date" },
  monthly: { rows: "monthly", key: "month" },
  session: { rows: "sessions", key: "sessionId" },
};

/** @throws SessionDbError `usage` for a report ccusage does not have */
export function ccusageNames(by: UsageGrouping): Names {
  const names = REPORTS[by];
  if (names !== undefined) return names;
  throw new SessionDbError("usage", `ccusage has no report by ${by}`, {
    hint: `With --compat ccusage it is one of: ${Object.keys(REPORTS).join(", ")}.`,
  });
}

/** A report with breakdown (and times, by session) in the shape of `ccusage pi daily --json`, for scripts that read it. */
export function ccusageDocument(report: UsageReport): object {
  const { by, rows, totals } = report;
  const names = ccusageNames(by);
  return {
    [names.rows]: rows.map((row) => ({
      ...(by === "session" ? sessionFacts(row) : { [names.key]: row.key }),
      ...sumsOf(row),
      modelBreakdowns: (row.models ?? []).map(({ key, ...sums }) => {
        const { totalCost, totalTokens: _totalTokens, ...tokens } = sumsOf(sums);
        return { modelName: modelName(key), ...tokens, cost: totalCost };
      }),
      modelsUsed: (row.models ?? []).map(({ key }) => modelName(key)).toSorted(),
    })),
    totals: sumsOf(totals),
  };
}

function sumsOf(sums: Sums) {
  return {
    inputTokens: sums.input,
    outputTokens: sums.output,
    cacheCreationTokens: sums.cacheWrite,
    cacheReadTokens: sums.cacheRead,
    totalTokens: sums.totalTokens,
    totalCost: sums.cost,
  };
}

/** ccusage names sessions after their files, and projects after the folder below the first one called `sessions`. */
function sessionFacts({ path = "", firstAt = null, lastAt = null }: UsageRow) {
  const folders = path.split(/[\\/]/);
  const sessions = folders.indexOf("sessions");
  const name = parse(path).name;
  return {
    sessionId: name.slice(name.indexOf("_") + 1),
    projectPath: (sessions < 0 ? undefined : folders[sessions + 1]) ?? "unknown",
    firstActivity: firstAt,
    lastActivity: lastAt,
  };
}

function modelName(model: string): string {
  return `[pi] ${model}`;
}
