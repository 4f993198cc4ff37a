import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { runSql } from "../../src/reports/sql/run-sql.ts";
import type { TeamClient } from "../../src/team/connect.ts";
import { blocksOf, readPage, sectionOf } from "../helpers/manual.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { pushAll, teamDatabase } from "../helpers/team-database.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { writeSpendingStore } from "../reports/usage/spending-store.ts";
import { writeMixedStore } from "../search/mixed-store.ts";

const team = teamDatabase();
const folder = sharedTempDir();
let lead: TeamClient;

beforeAll(async () => {
  const root = join(folder, "sessions");
  mkdirSync(root);
  writeSpendingStore(root);
  writeMixedStore(join(root, "mixed"));
  withIndex(folder, (index) => syncAll(index, [root]));
  await pushAll(await team.current.person("ada"), root, "names");
  lead = await team.current.person("lea", { lead: true });
  await lead.query("SET search_path = sessiondb_team");
});

const marked = blocksOf(sectionOf(readPage("docs/cookbook.md"), "## Cookbook"), "sql")
  .flatMap((block) => block.split(/\n(?=-- )/))
  .filter((query) => query.split("\n")[0]?.endsWith("(team)"))
  .map((query): [string, string] => [query.split("\n")[0]?.slice(3) ?? "", query]);

test("the cookbook has questions for a team", () => {
  expect(marked.length).toBeGreaterThanOrEqual(9);
});

test.each(marked)("a team's database answers as an index does: %s", async (_question, query) => {
  const here = runSql(indexIn(folder), query).rows;
  const there = await lead.query(query.replace(/;\s*$/, ""));
  expect(here.length).toBeGreaterThan(0);
  // Rows that are equal in what they are sorted by come in any order.
  expect(inOrder(there)).toEqual(inOrder(here));
});

function inOrder(rows: readonly Record<string, unknown>[]): string[] {
  return rows.map((row) => JSON.stringify(row, (_name, value) => rounded(value))).sort();
}

function rounded(value: unknown): unknown {
  return typeof value === "number" ? Number(value.toFixed(9)) : value;
}
