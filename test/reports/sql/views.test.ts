import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import { runSql } from "../../../src/reports/sql/run-sql.ts";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import { VIEWS } from "../../../src/store/schema/column-notes.ts";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { writeMixedStore } from "../../search/mixed-store.ts";
import { writeSpendingStore } from "../usage/spending-store.ts";

const folder = sharedTempDir();
const location = indexIn(folder);

beforeAll(() => {
  const root = join(folder, "sessions");
  writeSpendingStore(root);
  writeMixedStore(join(root, "mixed"));
  withIndex(folder, (index) => syncAll(index, [root]));
});

const words = (text: string) => text.split(/\s+/);

test("the views keep the columns they were published with", () => {
  const columns = Object.keys(VIEWS).map((view) => [
    view,
    runSql(location, `SELECT * FROM ${view} LIMIT 0`).columns,
  ]);
  const figures = words(`input output cache_read cache_write total_tokens cost requests sessions
    unpriced cache_hit_rate`);
  const keys = { hourly: "hour", daily: "day", weekly: "week", monthly: "month" };
  const byKey = words("project provider source tool label branch agent thinking");
  expect(Object.fromEntries(columns)).toEqual({
    ...Object.fromEntries(Object.entries(keys).map(([name, key]) => [`usage_${name}`, [key, ...figures]])),
    ...Object.fromEntries(byKey.map((key) => [`usage_by_${key}`, [key, ...figures]])),
    usage_over_time: words(`time project provider model source session_id
      input output cache_read cache_write total_tokens cost requests unpriced`),
    usage_by_session: ["session_id", "path", "title", "cwd", ...figures],
    usage_by_family: ["session_id", "path", "title", "cwd", ...figures],
    usage_by_model: ["provider", "model", ...figures, "cache_savings"],
    usage_copies: ["source", ...figures],
    usage_abandoned: words(`entry_key session_id title path line entry_id time source provider model
      input output cache_read cache_write total_tokens cost`),
    entries_under_label: ["entry_key", "label"],
    session_summary: words(`session_id path cwd name title origin version created modified message_count
      entry_count branch_count leaf_id parent_session models size_bytes total_tokens cost
      requests inherited_total_tokens inherited_cost inherited_requests own_cost
      parent_path root_path agent subagents project`),
    labelled_entries: words("label session_id title path entry_id labelled type role line preview"),
    tool_stats: words("tool calls answered errors average_ms longest_ms sessions"),
    file_touches: words("file tool session_id title cwd path line time is_error"),
  });
});

test.each([
  "entries WHERE entry_id = ?",
  "entries WHERE parent_id = ? AND line = 4",
  "entries WHERE preview = ?",
  "entries WHERE target_id = ?",
  "messages WHERE text = ?",
  "usage WHERE entry_id = ?",
  "usage_abandoned WHERE entry_id = ?",
  "labelled_entries WHERE entry_id = ?",
])("an id of digits alone is found as a number, as the command line gives it: %s", (rows) => {
  const digits = tempDir();
  const id = "26562661";
  const built = session()
    .user("root", { id: "root" })
    .assistant({ text: id }, { id })
    .user("next")
    .label(id, "here");
  built.branchFrom("root").user("another way").writeBelow(join(digits, "sessions"));
  withIndex(digits, (index) => syncAll(index, [join(digits, "sessions")]));
  const answer = runSql(indexIn(digits), `SELECT count(*) AS found FROM ${rows}`, {
    parameters: { positional: [BigInt(id)] },
  });
  expect(answer.rows).toEqual([{ found: 1 }]);
});

test("a provider that pi has renamed is one row", () => {
  const own = tempDir();
  session({ id: "renamed" })
    .user("pear")
    .assistant({ provider: "azure-openai-responses", model: "gpt-5.5" })
    .assistant({ provider: "azure", model: "gpt-5.5" })
    .writeBelow(own);
  withIndex(own, (index) => syncAll(index, [own]));
  for (const view of ["usage_by_provider", "usage_by_model"])
    expect(runSql(indexIn(own), `SELECT provider, requests FROM ${view}`).rows).toEqual([
      { provider: "azure", requests: 2 },
    ]);
});

describe("what is text is compared as text, also with a number", () => {
  test.each([
    "created FROM session_summary",
    "modified FROM session_summary",
    "labelled FROM labelled_entries",
    "time FROM file_touches",
    "time FROM usage_abandoned",
    "hour FROM usage_hourly",
    "day FROM usage_daily",
    "week FROM usage_weekly",
    "month FROM usage_monthly",
  ])("a year: %s", (dates) => {
    const years =
      "SELECT count(*) AS all_of_them, count(*) FILTER (WHERE date > 2000) AS since, count(*) FILTER (WHERE date > 2100) AS later";
    const [row] = runSql(location, `${years} FROM (SELECT ${dates.replace(" FROM", " AS date FROM")})`).rows;
    expect([row?.all_of_them === 0, row?.since, row?.later]).toEqual([false, row?.all_of_them, 0]);
  });

  test("every column of a view that holds text", () => {
    withIndex(folder, ({ database }) => {
      const wrong = Object.keys(VIEWS).flatMap((view) => {
        database.exec(`CREATE TEMP TABLE "seen_${view}" AS SELECT * FROM ${view}`);
        const columns = database.prepare("SELECT name, type FROM pragma_table_info(?)").all(`seen_${view}`);
        return (columns as { name: string; type: string }[])
          .filter(({ type }) => type !== "TEXT")
          .filter(({ name }) =>
            database.prepare(`SELECT 1 FROM ${view} WHERE typeof("${name}") = 'text'`).get(),
          )
          .map(({ name }) => `${view}.${name}`);
      });
      expect(wrong).toEqual([]);
    });
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
