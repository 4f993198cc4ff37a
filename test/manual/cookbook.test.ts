import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import * as orm from "drizzle-orm";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { runSql } from "../../src/reports/sql/run-sql.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { VIEWS } from "../../src/store/schema/column-notes.ts";
import * as schema from "../../src/store/schema.ts";
import { blocksOf, readPage, sectionOf } from "../helpers/manual.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { writeSpendingStore } from "../reports/usage/spending-store.ts";
import { writeMixedStore } from "../search/mixed-store.ts";

const samples = join(import.meta.dirname, "..", "samples", "agent", "sessions");

const cookbook = questionsIn(sectionOf(readPage("docs/cookbook.md"), "## Cookbook"));

function questionsIn(text: string): [question: string, query: string][] {
  return blocksOf(text, "sql")
    .flatMap((block) => block.split(/\n(?=-- )/))
    .map((query) => [query.split("\n")[0]?.slice(3) ?? "", query]);
}

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

describe("Grafana's panels", () => {
  /** As the data source writes what Grafana and it put in place of these. */
  const filledIn = (query: string): string =>
    query
      .replace(/\$__unixEpochGroupSeconds\((\w+), (\d+)\)/g, 'cast(("$1" / $2) as int) * $2')
      .replaceAll("$__from", "0")
      .replaceAll("$__to", String(Date.parse("2027-01-01")));
  const panels = questionsIn(readPage("docs/dashboards.md").text);
  const sumOf = (query: string): number =>
    runSql(location, filledIn(query)).rows.reduce((sum, { cost }) => sum + Number(cost), 0);

  test("show all that was spent", () => {
    const { totals } = withIndex(folder, (index) => sumUsage(index, { by: "model", timezone: "UTC" }));
    const [byDay, byProject] = panels.map(([, query]) => sumOf(query));
    expect([byDay, byProject]).toEqual([expect.closeTo(totals.cost, 9), expect.closeTo(totals.cost, 9)]);
  });

  test.each(panels)("show: %s", (_question, query) => {
    const { columns, rows } = runSql(location, filledIn(query));
    expect(rows).not.toEqual([]);
    for (const { time } of rows) expect(time === undefined || Number(time) % 86_400 === 0).toBe(true);
    expect(columns.length).toBeGreaterThan(0);
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

test("the example with drizzle runs, and its tables are those of the index", () => {
  const [example = ""] = blocksOf(readPage("docs/library.md").text, "ts").filter((block) =>
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
