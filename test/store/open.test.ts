import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Index, openIndex } from "../../src/store/open.ts";
import * as schema from "../../src/store/schema.ts";
import { indexIn } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function opened(folder = tempDir(), options = {}): Index {
  const index = openIndex(indexIn(folder), options);
  onTestFinished(() => index.close());
  return index;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** Opens an index below a folder that is not there yet, under this umask, and leaves it open. */
function openedUnderUmask(umask: number): Index {
  const folder = join(tempDir(), "agent", "sessiondb");
  const before = process.umask(umask);
  try {
    const index = opened(folder);
    index.database.exec("INSERT INTO meta (name, value) VALUES ('a', 'b')");
    index.search.exec("INSERT INTO meta (name, value) VALUES ('a', 'b')");
    return index;
  } finally {
    process.umask(before);
  }
}

describe.each([0o000, 0o022, 0o077])("F6: under umask %o", (umask) => {
  test("the folder is made for its owner only", () => {
    expect(modeOf(dirname(openedUnderUmask(umask).location.indexPath))).toBe("700");
  });

  test.each(["", "-wal", "-shm"])("both databases are readable by their owner only: %s", (suffix) => {
    const { indexPath, searchPath } = openedUnderUmask(umask).location;
    expect([modeOf(indexPath + suffix), modeOf(searchPath + suffix)]).toEqual(["600", "600"]);
  });
});

test("a folder that is there keeps its mode", () => {
  const folder = join(tempDir(), "mine");
  mkdirSync(folder, { mode: 0o755 });
  opened(folder);
  expect(modeOf(folder)).toBe("755");
});

test("the full-text database is not there before it is used", () => {
  const index = opened();
  expect(statSync(index.location.searchPath, { throwIfNoEntry: false })).toBeUndefined();
});

describe("every connection", () => {
  test.each<[string, unknown]>([
    ["journal_mode", "wal"],
    ["synchronous", 1],
    ["foreign_keys", 1],
    ["trusted_schema", 0],
    ["mmap_size", 0],
    ["secure_delete", 1],
    ["journal_size_limit", 64 * 1024 * 1024],
    ["wal_autocheckpoint", 16_384],
    ["temp_store", 2],
    ["auto_vacuum", 2],
    ["cache_size", -16 * 1024],
    ["busy_timeout", 250],
  ])("that writes has %s = %s", (pragma, value) => {
    const index = opened();
    const values = [index.database, index.search].map((database) =>
      database.pragma(pragma, { simple: true }),
    );
    expect(values).toEqual([value, value]);
  });

  test("waits for other writers as long as it is told", () => {
    const index = opened(tempDir(), { busyTimeoutMs: 50 });
    expect(index.search.pragma("busy_timeout", { simple: true })).toBe(50);
  });

  test.each<[string, unknown]>([
    ["query_only", 1],
    ["trusted_schema", 0],
    ["mmap_size", 0],
    ["cache_size", -16 * 1024],
    ["search.cache_size", -16 * 1024],
  ])("that reads has %s = %s", (pragma, value) => {
    expect(opened().reader.pragma(pragma, { simple: true })).toBe(value);
  });
});

describe("a fresh index", () => {
  test("is not said to have been emptied", () => {
    const index = opened();
    index.search.prepare("SELECT 1").get();
    expect(index.wasEmptied).toBe(false);
  });

  test.each(["database", "search"] as const)("is sound: %s", (which) => {
    expect(opened()[which].pragma("quick_check", { simple: true })).toBe("ok");
  });

  test.each(["database", "search"] as const)("has strict tables only: %s", (which) => {
    const loose = opened()
      [which].prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0",
      )
      .pluck()
      .all();
    expect(loose).toEqual(["sqlite_schema"]);
  });

  test("has the tables and columns that the schema declares, and no others", () => {
    const { database } = opened();
    const declared = Object.values(schema)
      .filter((value) => is(value, SQLiteTable))
      .map(getTableConfig)
      .map(({ name, columns }) => [
        name,
        columns.map((column) => [column.name, column.getSQLType(), column.notNull]),
      ]);
    const columnsOf = database.prepare('SELECT name, lower(type), "notnull" FROM pragma_table_info(?)').raw();
    const names = database
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'",
      )
      .pluck()
      .all() as string[];
    const found = names.map((name) => [
      name,
      (columnsOf.all(name) as [string, string, number][]).map(([column, type, notNull]) => [
        column,
        type,
        notNull === 1,
      ]),
    ]);
    expect(new Map(found as [string, unknown][])).toEqual(new Map(declared as [string, unknown][]));
  });

  test("has views that can be read", () => {
    const { database } = opened();
    const views = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'view'")
      .pluck()
      .all() as string[];
    for (const view of views) expect(database.prepare(`SELECT * FROM ${view}`).all()).toEqual([]);
    expect(views.length).toBeGreaterThan(5);
  });

  test("tells itself from any other", () => {
    const idOf = (index: Index) =>
      index.database.prepare("SELECT value FROM meta WHERE name = 'index_id'").pluck().get();
    expect(idOf(opened())).not.toBe(idOf(opened()));
  });
});

test("the reader sees the rows and the full text, and writes neither", () => {
  const { reader } = opened();
  expect(reader.prepare("SELECT count(*) FROM entries, search.entry_text").pluck().get()).toBe(0);
  expect(() => reader.exec("DELETE FROM files")).toThrow(/readonly/);
  expect(() => reader.exec("DELETE FROM search.meta")).toThrow(/readonly/);
});

describe("a full text that is deleted while it is open", () => {
  const withoutFullText = () => {
    const index = opened();
    index.search.prepare("SELECT 1").get();
    rmSync(index.location.searchPath);
    return index;
  };

  test("cannot be read, and who asks is told to open the index again", () => {
    const index = withoutFullText();
    const message = expect.stringMatching(
      /^the index was deleted, or replaced, while it was open: .*search-v1\.db$/,
    );
    const hint = expect.stringContaining("reopen the index");
    expect(() => index.reader).toThrow(expect.objectContaining({ code: "io", message, hint }));
    expect(index.isReplaced()).toBe(true);
  });

  test("makes no other index of one that has not used it yet", () => {
    const folder = tempDir();
    opened(folder).search.prepare("SELECT 1").get();
    const index = opened(folder);
    rmSync(index.location.searchPath);
    expect(index.isReplaced()).toBe(false);
    expect(index.reader.prepare("SELECT count(*) FROM search.entry_text").pluck().get()).toBe(0);
    expect(index.isReplaced()).toBe(false);
  });

  test("is one that has been replaced where another was made in its place", () => {
    const folder = tempDir();
    const index = opened(folder);
    index.reader.prepare("SELECT 1").get();
    expect(index.isReplaced()).toBe(false);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${index.location.searchPath}${end}`, { force: true });
    opened(folder).search.prepare("SELECT 1").get();
    expect(index.isReplaced()).toBe(true);
  });

  test.skipIf(!existsSync("/proc/self/fd"))(
    "leaves no connection open, however often it is asked for",
    () => {
      const index = withoutFullText();
      const openAfterwards = () => {
        expect(() => index.reader).toThrow();
        return readdirSync("/proc/self/fd").length;
      };
      // SQLite itself keeps one for the next connection.
      expect(openAfterwards()).toBe(openAfterwards());
    },
  );
});

test("opening an index again writes nothing", () => {
  const folder = tempDir();
  const watching = opened(folder);
  const versions = () =>
    [watching.database, watching.search].map((database) => database.pragma("data_version", { simple: true }));
  const before = versions();
  opened(folder).reader.prepare("SELECT 1").get();
  expect(versions()).toEqual(before);
});

test("D20: the SQLite that is linked has no bug in its log (3.51.3 or newer)", () => {
  const version = String(opened().database.prepare("SELECT sqlite_version()").pluck().get());
  expect(version.localeCompare("3.51.3", "en", { numeric: true })).toBeGreaterThanOrEqual(0);
});

test("closing may be repeated, and nothing works afterwards", () => {
  const index = opened();
  const connections = [index.database, index.search, index.reader];
  index.close();
  index.close();
  expect(connections.map(({ open }) => open)).toEqual([false, false, false]);
  expect(() => index.database.prepare("SELECT 1")).toThrow(/not open/);
});

test("opening an index again finds what was put into it", () => {
  const folder = tempDir();
  opened(folder).database.exec("INSERT INTO meta (name, value) VALUES ('a', 'b')");
  expect(opened(folder).database.prepare("SELECT value FROM meta WHERE name = 'a'").pluck().get()).toBe("b");
});
