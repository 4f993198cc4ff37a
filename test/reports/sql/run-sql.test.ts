import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { SessionDbError } from "../../../src/errors.ts";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import { runSql } from "../../../src/reports/sql/run-sql.ts";
import type { IndexLocation } from "../../../src/store/location.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";

const folder = sharedTempDir();
const location: IndexLocation = indexIn(folder);

beforeAll(() => {
  const root = join(folder, "sessions");
  for (const id of ["a", "b", "c"]) session({ id }).user(`question of ${id}`).assistant().writeBelow(root);
  withIndex(folder, (index) => syncAll(index, [root]));
});

/** The code of the error a statement ends in, or "answered". */
function outcomeOf(sql: string): string {
  try {
    runSql(location, sql, { limit: 100 });
    return "answered";
  } catch (error) {
    if (error instanceof SessionDbError) return error.code;
    throw error;
  }
}

/** Everything the index holds, as far as a statement could change it. */
function stateOf(): unknown {
  return withIndex(folder, ({ database }) => [
    ...["entries", "files", "sessions", "usage", "meta", "sqlite_schema"].map((table) =>
      database.prepare(`SELECT * FROM ${table}`).raw().all(),
    ),
    ...["user_version", "application_id", "journal_mode", "auto_vacuum"].map((name) => database.pragma(name)),
  ]);
}

test.each([
  [2, "integer", 3],
  [-2, "integer", -3],
  [Number.MAX_SAFE_INTEGER, "integer", 0],
  [2n, "integer", 3],
  [2.5, "real", 2.8],
  [2 ** 53, "real", 7 / 2 ** 53],
  [-0, "real", null],
])("a value given as %s is of SQLite's type %s: 7 divided by it is %s", (value, type, quotient) => {
  const sql = "SELECT typeof(?) AS type, 7 / ? AS quotient, ? AS value";
  const row = { type, quotient, value: typeof value === "bigint" ? Number(value) : value };
  const positional = [value, value, value];
  expect(runSql(location, sql, { parameters: { positional } }).rows).toEqual([row]);
  const named = { value };
  expect(runSql(location, sql.replaceAll("?", ":value"), { parameters: { named } }).rows).toEqual([row]);
});

describe("a statement that reads is answered", () => {
  test.each([
    "SELECT 1",
    "select count(*) from entries;",
    "  \n\t SELECT 1 -- and a comment",
    "-- a comment first\nSELECT 1",
    "/* one */ /* two */ SELECT 1",
    "WITH s AS (SELECT * FROM sessions) SELECT count(*) FROM s",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
    "VALUES (1), (2)",
    "EXPLAIN SELECT 1",
    "EXPLAIN QUERY PLAN SELECT * FROM entries WHERE key = 1",
    "SELECT name FROM pragma_table_info('entries')",
    "SELECT * FROM session_summary",
    "SELECT ';', '--', '/*', \"session_id\" FROM sessions",
  ])("%s", (sql) => {
    expect(outcomeOf(sql)).toBe("answered");
  });
});

describe("F4: a statement that could do more is refused, and changes nothing", () => {
  const elsewhere = join(folder, "elsewhere.db");
  test.each([
    "",
    ";",
    "-- only a comment",
    "/* only a comment */",
    "DELETE FROM files",
    "INSERT INTO meta VALUES ('a', 'b')",
    "UPDATE usage SET cost = 0",
    "REPLACE INTO meta VALUES ('a', 'b')",
    "DROP TABLE entries",
    "CREATE TABLE t (x)",
    "CREATE TEMP TABLE t (x)",
    "ALTER TABLE files RENAME TO f",
    "REINDEX",
    "ANALYZE",
    "VACUUM",
    `VACUUM INTO '${elsewhere}'`,
    `ATTACH DATABASE '${elsewhere}' AS x`,
    "DETACH DATABASE main",
    "PRAGMA query_only = OFF",
    "PRAGMA query_only",
    "PRAGMA writable_schema = ON",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA user_version = 99",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "SAVEPOINT s",
    "EXPLAIN DELETE FROM files",
    "EXPLAIN PRAGMA query_only = OFF",
    "EXPLAIN QUERY PLAN DELETE FROM files",
    "WITH x AS (SELECT 1) DELETE FROM files",
    "WITH x AS (SELECT 1) INSERT INTO meta SELECT 'a', 'b'",
    "WITH x AS (SELECT 1) UPDATE files SET path = ''",
    "SELECT 1; DELETE FROM files",
    "SELECT 1; SELECT 2",
    "SELECT 1;; DROP TABLE files",
    "SELECT 1; PRAGMA query_only = OFF",
    "/* SELECT */ DELETE FROM files",
    "-- SELECT 1\nDELETE FROM files",
    "/* SELECT 1; */ PRAGMA query_only = OFF",
    "(SELECT 1)",
    "SELECTED",
    "\ufeffDELETE FROM files",
  ])("%s", (sql) => {
    const before = stateOf();
    expect(outcomeOf(sql)).toBe("refused");
    expect([stateOf(), existsSync(elsewhere)]).toEqual([before, false]);
  });
});

describe("a statement SQLite rejects is an error that says why", () => {
  test.each([
    "SELECT",
    "SELECT nonsense FROM nowhere",
    "SELECT * FROM entries WHERE",
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'y')",
    "SELECT abs(-9223372036854775808)",
    "SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)",
    "SELECT json('{')",
    "SELECT * FROM search.entry_text",
    "SELECT ?",
    "SELECT :name, @other",
    "SELECT '",
    `SELECT ${"1+".repeat(2000)}1`,
  ])("%s", (sql) => {
    expect(outcomeOf(sql)).toBe("sql");
  });
});

test("what stands behind a NUL is not run", () => {
  const before = stateOf();
  outcomeOf("SELECT 1\0; DELETE FROM files");
  expect(stateOf()).toEqual(before);
});

test("F4, I-12: no string whatever does anything but answer or end in an error of ours", () => {
  const word = fc.constantFrom(
    ...[
      "SELECT",
      "WITH",
      "VALUES",
      "DELETE",
      "FROM",
      "files",
      "PRAGMA",
      "query_only",
      "=",
      "1",
      "*",
      ";",
      "--",
      "/*",
    ],
    ...["*/", "\n", "'", '"', "(", ")", "?", ":a", "\0", "EXPLAIN", "INTO", "x'zz'", "[", "`"],
  );
  const sql = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.array(word, { maxLength: 10 }).map((words) => words.join(" ")),
    fc.string({ unit: "binary", maxLength: 30 }).map((rest) => `SELECT ${rest}`),
  );
  const before = stateOf();
  fc.assert(
    fc.property(sql, (statement) => {
      expect(["answered", "refused", "sql"]).toContain(outcomeOf(statement));
    }),
    { numRuns: runs(500) },
  );
  expect(stateOf()).toEqual(before);
});

describe("an answer", () => {
  test("has its columns in order, and rows by column", () => {
    expect(runSql(location, "SELECT session_id AS id, 1 AS one FROM sessions ORDER BY 1")).toEqual({
      columns: ["id", "one"],
      rows: [
        { id: "a", one: 1 },
        { id: "b", one: 1 },
        { id: "c", one: 1 },
      ],
      truncated: false,
    });
  });

  test("has its columns though it has no rows", () => {
    expect(runSql(location, "SELECT 1 AS a WHERE 0")).toEqual({ columns: ["a"], rows: [], truncated: false });
  });

  test.each([
    [2, 2, true],
    [3, 3, false],
    [0, 3, false],
  ])("is cut after %i rows: %i, and says so: %s", (limit, rows, truncated) => {
    const result = runSql(location, "SELECT * FROM sessions", { limit });
    expect([result.rows.length, result.truncated]).toEqual([rows, truncated]);
  });

  test("F5: ends at its limit though the statement never would", () => {
    const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    expect(runSql(location, endless, { limit: 5 }).rows).toHaveLength(5);
  });
});

test("an index that is not there is not found", () => {
  expect(() => runSql(indexIn(tempDir()), "SELECT 1")).toThrow(
    expect.objectContaining({ code: "not_found" }),
  );
});

test("an index is read while another process writes to it", () => {
  withIndex(folder, ({ database }) => {
    database.exec("BEGIN IMMEDIATE");
    const { rows } = runSql(location, "SELECT count(*) AS count FROM sessions");
    database.exec("ROLLBACK");
    expect(rows).toEqual([{ count: 3 }]);
  });
});

test("D9: damage met by a statement is not the statement's fault", () => {
  const other = tempDir();
  const root = join(other, "sessions");
  session({ id: "a" }).user("question").assistant().writeBelow(root);
  const page = withIndex(other, (index) => {
    syncAll(index, [root]);
    index.database.pragma("wal_checkpoint(TRUNCATE)");
    return index.database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'messages'").pluck().get();
  });
  const { indexPath } = indexIn(other);
  const file = openSync(indexPath, "r+");
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, (Number(page) - 1) * 4096);
  closeSync(file);
  expect(() => runSql(indexIn(other), "SELECT text FROM messages")).toThrow(
    expect.objectContaining({ code: "index_corrupt" }),
  );
});
