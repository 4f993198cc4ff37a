import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as orm from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import * as schema from "../src/db/schema.ts";
import { VIEWS } from "../src/query/sql/schema-notes.ts";
import { runSql } from "../src/query/sql/sql.ts";
import { sumUsage } from "../src/query/usage/usage.ts";
import { syncAll } from "../src/sync/sync-all.ts";
import { indexIn, withIndex } from "./helpers/open-index.ts";
import { session } from "./helpers/session-builder.ts";
import { sharedTempDir } from "./helpers/temp-dir.ts";
import { writeMixedStore } from "./query/search/mixed-store.ts";
import { writeSpendingStore } from "./query/usage/spending-store.ts";

const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8");
const samples = join(import.meta.dirname, "samples", "agent", "sessions");

/** What stands between a heading and the next one of its rank. */
function section(heading: string): string {
  const [, rest = ""] = readme.split(`\n${heading}\n`);
  return rest.split(/\n##+ /)[0] ?? "";
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code = ""]) => {
    return name === language ? [code] : [];
  });
}

const cookbook = blocks(section("### Cookbook"), "sql")
  .flatMap((block) => block.split(/\n(?=-- )/))
  .map((query): [string, string] => [query.split("\n")[0]?.slice(3) ?? "", query]);

const folder = sharedTempDir();
const location = indexIn(folder);

beforeAll(() => {
  const root = join(folder, "sessions");
  writeSpendingStore(root);
  writeMixedStore(join(root, "mixed"));
  session({ id: "levels" }).user("think harder").thinkingLevel("high").assistant().writeBelow(root);
  withIndex(folder, (index) => syncAll(index, [root, samples]));
});

describe("the cookbook", () => {
  test("has twenty questions at least, no two alike", () => {
    const questions = cookbook.map(([question]) => question);
    expect(questions.length).toBeGreaterThanOrEqual(20);
    expect(new Set(questions).size).toBe(questions.length);
  });

  test.each(cookbook)("answers: %s", (_question, query) => {
    const { columns, rows } = runSql(location, query);
    expect(rows).not.toEqual([]);
    // A column that is nothing in every row answers nothing.
    const empty = columns.filter((column) => rows.every((row) => row[column] === null));
    expect(empty).toEqual([]);
  });
});

const hasSqlite = spawnSync("sqlite3", ["--version"]).status === 0;
if (!hasSqlite) console.warn("skipped, there is no sqlite3 program here");

/** What the sqlite3 program of the system answers, as it is, without any code of ours. */
function sqlite3(query: string): unknown {
  const options = ["-readonly", "-json", location.indexPath];
  return JSON.parse(execFileSync("sqlite3", options, { encoding: "utf8", input: `${query};` }) || "[]");
}

/** Rows of ours as another program may print them: fifteen digits of a number, or fewer. */
function about(rows: Record<string, unknown>[]): unknown {
  return rows.map((row) => {
    const cells = Object.entries(row).map(([name, value]) => [name, aboutValue(value)]);
    return Object.fromEntries(cells);
  });
}

function aboutValue(value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? expect.closeTo(value, 9) : value;
}

describe.skipIf(!hasSqlite)("plain sqlite3 answers the same", () => {
  const plain = cookbook.filter(([, query]) => !query.includes("entry_json"));

  test.each(plain)("when asked: %s", (_question, query) => {
    expect(sqlite3(query)).toEqual(about(runSql(location, query).rows));
  });

  test.each(Object.keys(VIEWS))("from the view %s", (view) => {
    const query = `SELECT count(*) AS n FROM ${view}`;
    expect(sqlite3(query)).toEqual(runSql(location, query).rows);
  });
});

test("the views keep the columns they were published with", () => {
  const columns = Object.keys(VIEWS).map((view) => [
    view,
    runSql(location, `SELECT * FROM ${view} LIMIT 0`).columns,
  ]);
  const sums = [
    "input",
    "output",
    "cache_read",
    "cache_write",
    "total_tokens",
    "cost",
    "requests",
    "sessions",
  ];
  const figures = [...sums, "unpriced", "cache_hit_rate"];
  const keys = { hourly: "hour", daily: "day", weekly: "week", monthly: "month" };
  const byKey = ["project", "provider", "source", "tool", "label", "branch"];
  expect(Object.fromEntries(columns)).toEqual({
    ...Object.fromEntries(Object.entries(keys).map(([name, key]) => [`usage_${name}`, [key, ...figures]])),
    ...Object.fromEntries(byKey.map((key) => [`usage_by_${key}`, [key, ...figures]])),
    usage_by_session: ["session_id", "path", "title", "cwd", ...figures],
    usage_by_model: ["provider", "model", ...figures, "cache_savings"],
    usage_copies: ["source", ...figures],
    usage_abandoned: [
      ...[
        "entry_key",
        "session_id",
        "title",
        "path",
        "line",
        "entry_id",
        "time",
        "source",
        "provider",
        "model",
      ],
      ...["input", "output", "cache_read", "cache_write", "total_tokens", "cost"],
    ],
    entries_under_label: ["entry_key", "label"],
    session_summary: [
      ...[
        "session_id",
        "path",
        "cwd",
        "name",
        "title",
        "origin",
        "version",
        "created",
        "modified",
        "message_count",
      ],
      ...[
        "entry_count",
        "branch_count",
        "leaf_id",
        "parent_session",
        "models",
        "size_bytes",
        "total_tokens",
        "cost",
      ],
      ...["requests", "inherited_total_tokens", "inherited_cost", "inherited_requests", "own_cost"],
    ],
    labelled_entries: [
      ...["label", "session_id", "title", "path", "entry_id", "labelled", "type", "role", "line", "preview"],
    ],
    tool_stats: ["tool", "calls", "answered", "errors", "average_ms", "longest_ms", "sessions"],
    file_touches: ["file", "tool", "session_id", "title", "cwd", "path", "line", "time", "is_error"],
  });
});

describe("a view says what the report says", () => {
  const key = (row: Record<string, unknown>) => String(Object.values(row)[0] || "unknown");
  test.each([
    ["hourly", "usage_hourly"],
    ["daily", "usage_daily"],
    ["weekly", "usage_weekly"],
    ["monthly", "usage_monthly"],
    ["project", "usage_by_project"],
    ["provider", "usage_by_provider"],
    ["source", "usage_by_source"],
    ["tool", "usage_by_tool"],
    ["label", "usage_by_label"],
    ["branch", "usage_by_branch"],
  ] as const)("by %s: %s", (by, view) => {
    const report = withIndex(folder, (index) => sumUsage(index, { by, timezone: "UTC" }));
    const ours = report.rows.map((row) => [
      row.key.replace("+00:00", "Z"),
      row.requests,
      row.totalTokens,
      row.unpriced,
    ]);
    const { rows } = runSql(location, `SELECT * FROM ${view}`);
    expect(rows.map((row) => [key(row), row.requests, row.total_tokens, row.unpriced]).toSorted()).toEqual(
      ours.toSorted(),
    );
    const cost = rows.reduce((sum, row) => sum + Number(row.cost), 0);
    expect(cost).toBeCloseTo(report.totals.cost, 9);
  });

  test("by model, with what the cache saved", () => {
    const report = withIndex(folder, (index) => sumUsage(index, { by: "model", timezone: "UTC" }));
    const { rows } = runSql(
      location,
      "SELECT total(cache_savings) AS saved, sum(requests) AS requests FROM usage_by_model",
    );
    expect(rows).toEqual([
      { saved: expect.closeTo(report.cacheSavings ?? Number.NaN, 9), requests: report.totals.requests },
    ]);
  });
});

test("the example with drizzle runs, and its tables are those of the index", () => {
  const [example = ""] = blocks(section("## The library"), "ts").filter((block) =>
    block.includes("drizzle("),
  );
  const code = example.replace(/^import .*$/gm, "");
  const names = [...code.matchAll(/^const (\w+) =/gm)].map(([, name]) => name);
  expect(names).toEqual(["database", "mostExpensive", "models"]);
  const scope = { ...orm, drizzle, ...schema };
  withIndex(folder, (index) => {
    const run = new Function("scope", "index", `with (scope) { ${code}; return { mostExpensive, models }; }`);
    const { mostExpensive, models } = run(scope, index) as {
      mostExpensive: unknown[];
      models: { cost: number }[];
    };
    expect(mostExpensive).toHaveLength(10);
    expect(models.reduce((sum, { cost }) => sum + cost, 0)).toBeGreaterThan(0);
  });
});
