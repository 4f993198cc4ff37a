import { parse } from "node:path";
import { SessionDbError } from "../../errors.ts";
import type { Sums } from "../../format/usage.ts";
import { addUp } from "../../reports/usage/figures.ts";
import type { ReportGrouping, UsageReport, UsageRow } from "../../reports/usage/usage-shapes.ts";
import { compareTexts, groupedBy } from "../../runtime/collections.ts";

interface Names {
  /** What ccusage calls the rows. */
  rows: string;
  /** The field that names a row. */
  key: string;
}

const REPORTS: Partial<Record<ReportGrouping, Names>> = {
  daily: { rows: "daily", key: "date" },
  monthly: { rows: "monthly", key: "month" },
  session: { rows: "sessions", key: "sessionId" },
};

/** @throws SessionDbError `usage` for a report ccusage does not have */
export function ccusageNames(by: ReportGrouping): Names {
  const names = REPORTS[by];
  if (names !== undefined) return names;
  throw new SessionDbError("usage", `ccusage has no report by ${by}`, {
    hint: `With --compat ccusage, choose one of: ${Object.keys(REPORTS).join(", ")}.`,
  });
}

/**
 * A report with breakdown (and times, by session) in the shape of `ccusage pi daily --json`, for scripts that read it.
 */
export function ccusageDocument(report: UsageReport): object {
  const { by, rows, totals } = report;
  const names = ccusageNames(by);
  const nameOf = by === "session" ? sessionIdOf : ({ key }: UsageRow) => key;
  return {
    [names.rows]: [...groupedBy(rows, nameOf)].map(([name, same]) => ({
      [names.key]: name,
      ...(by === "session" && sessionFacts(same)),
      ...sumsOf(addUp(same)),
      ...modelsOf(same.flatMap(({ models = [] }) => models)),
    })),
    totals: sumsOf(totals),
  };
}

/** The most expensive first. */
function modelsOf(rows: readonly UsageRow[]) {
  const models = [...groupedBy(rows, ({ key }) => `[pi] ${key}`)].map(([modelName, same]) => {
    const { totalCost, totalTokens: _totalTokens, ...tokens } = sumsOf(addUp(same));
    return { modelName, ...tokens, cost: totalCost };
  });
  return {
    modelBreakdowns: models.toSorted((a, b) => b.cost - a.cost),
    modelsUsed: models.map(({ modelName }) => modelName).toSorted(),
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

/** ccusage names sessions after their files: so all sessions of sub-agents (`session.jsonl`) are one for it. */
function sessionIdOf({ path = "" }: UsageRow): string {
  const { name } = parse(path);
  return name.slice(name.indexOf("_") + 1);
}

/** The project is that of the last active session: the folder below the first folder called `sessions`. */
function sessionFacts(same: readonly UsageRow[]) {
  const [latest] = same.toSorted((a, b) => compareTexts(b.lastAt ?? "", a.lastAt ?? ""));
  const folders = latest?.path?.split(/[\\/]/) ?? [];
  const sessions = folders.indexOf("sessions");
  const [firstAt = null] = same.flatMap((row) => row.firstAt ?? []).toSorted(compareTexts);
  return {
    projectPath: (sessions < 0 ? undefined : folders[sessions + 1]) ?? "unknown",
    firstActivity: firstAt,
    lastActivity: latest?.lastAt ?? null,
  };
}
