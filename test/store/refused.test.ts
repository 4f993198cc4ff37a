import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { locateIndex } from "../../src/config/config.ts";
import { SessionDbError } from "../../src/errors.ts";
import type { OpenOptions } from "../../src/store/connection.ts";
import { type Database, loadSqlite } from "../../src/store/native.ts";
import { openIndex } from "../../src/store/open.ts";
import { toStoreError } from "../../src/store/sqlite-errors.ts";
import { asNobody } from "../files/as-nobody.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** The code of the error that opening ends in, or "opened". */
function outcomeOf(folder: string, options: OpenOptions = {}): string {
  try {
    openIndex(indexIn(folder), options).close();
    return "opened";
  } catch (error) {
    if (error instanceof SessionDbError) return error.code;
    throw error;
  }
}

/** A folder whose index was made by us and then changed, cleanly closed. */
function folderWithIndex(change: (database: Database) => void): string {
  const folder = tempDir();
  withIndex(folder, ({ database }) => change(database));
  return folder;
}

/** A folder whose index file is another program's database. */
function folderWithForeign(change: (database: Database) => void): string {
  const folder = tempDir();
  const database = new (loadSqlite())(indexIn(folder).indexPath);
  change(database);
  database.close();
  return folder;
}

function bytesIn(folder: string): string {
  return readFileSync(indexIn(folder).indexPath, "latin1");
}

const newer = () => folderWithIndex((database) => database.pragma("user_version = 99"));
const migratedFurther = () =>
  folderWithIndex((database) => database.exec("UPDATE meta SET value = '99' WHERE name = 'migrations'"));
const ofAnotherProgram = () =>
  folderWithForeign((database) => database.exec("PRAGMA application_id = 7; CREATE TABLE t (x)"));
const ofNoProgram = () => folderWithForeign((database) => database.exec("CREATE TABLE t (x)"));
const fullText = () => {
  const folder = tempDir();
  withIndex(folder, ({ search }) => search.prepare("SELECT 1").get());
  renameSync(indexIn(folder).searchPath, indexIn(folder).indexPath);
  return folder;
};
const garbage = () => {
  const folder = tempDir();
  writeFileSync(indexIn(folder).indexPath, "This is no database at all.\n".repeat(400));
  return folder;
};

describe.each<[string, string, () => string]>([
  ["a database from a newer program", "index_newer", newer],
  ["a database with migrations nobody here knows", "index_newer", migratedFurther],
  ["another program's database", "index_foreign", ofAnotherProgram],
  ["a database that says nothing of whose it is", "index_foreign", ofNoProgram],
  ["the full text of an index", "index_foreign", fullText],
  ["a file that is no database", "index_corrupt", garbage],
])("%s", (_name, code, make) => {
  test(`D11, D20: is refused: ${code}`, () => {
    expect(outcomeOf(make())).toBe(code);
  });

  test("is refused read-only as well", () => {
    expect(outcomeOf(make(), { readonly: true })).toBe(code);
  });

  test("D11: keeps every byte", () => {
    const folder = make();
    const before = bytesIn(folder);
    outcomeOf(folder);
    expect(bytesIn(folder)).toBe(before);
  });
});

describe("the full text of an index, named in its place", () => {
  test.each([
    ["index-v1.db", "search-v1.db"],
    ["foo.db", "foo.search.db"],
    ["foo", "foo.search.db"],
  ])("is refused with the name of %s", (name, searchName) => {
    const location = locateIndex(join(tempDir(), name));
    const index = openIndex(location);
    index.search.prepare("SELECT 1").get();
    index.close();
    expect(basename(location.searchPath)).toBe(searchName);
    expect(() => openIndex(locateIndex(location.searchPath))).toThrowError(
      expect.objectContaining({
        message: `this is the full text of an index: ${location.searchPath}`,
        hint: `Name the index itself: --db ${location.indexPath}`,
      }),
    );
  });

  test("is refused without a name where the index is gone", () => {
    const folder = fullText();
    expect(() => openIndex(indexIn(folder))).toThrowError(
      expect.objectContaining({ hint: "Name the index it belongs to." }),
    );
  });
});

test("an index where its full text belongs is refused as what it is, and keeps every byte", () => {
  const { indexPath, searchPath } = indexIn(folderWithIndex(() => undefined));
  copyFileSync(indexPath, searchPath);
  const before = readFileSync(searchPath, "latin1");
  const index = openIndex({ indexPath, searchPath });
  onTestFinished(() => index.close());
  expect(() => index.search).toThrowError(
    expect.objectContaining({
      code: "index_foreign",
      message: `an index is in the place of its full text: ${searchPath}`,
    }),
  );
  expect(readFileSync(searchPath, "latin1")).toBe(before);
});

describe("D9: a damaged index", () => {
  test("whose header was overwritten is refused", () => {
    const folder = folderWithIndex(() => undefined);
    writeFileSync(indexIn(folder).indexPath, "overwritten", { flag: "r+" });
    expect(outcomeOf(folder)).toBe("index_corrupt");
  });

  test("whose second half is missing is refused", () => {
    const folder = folderWithIndex(() => undefined);
    truncateSync(indexIn(folder).indexPath, 4096 * 3);
    expect(outcomeOf(folder)).toBe("index_corrupt");
  });

  test("of no bytes is a fresh one", () => {
    const folder = tempDir();
    writeFileSync(indexIn(folder).indexPath, "");
    expect(outcomeOf(folder)).toBe("opened");
  });
});

/** Deletes something when the timeout is asked for, which is after a file was made and before it is opened. */
function deleting(path: string, options: OpenOptions): OpenOptions {
  let isDeleted = false;
  return {
    ...options,
    get busyTimeoutMs() {
      if (!isDeleted) rmSync(path, { recursive: true });
      isDeleted = true;
      return 250;
    },
  };
}

describe("an index that is deleted while it is opened", () => {
  test("is made again, with its folder", () => {
    const folder = folderWithIndex(() => undefined);
    expect(outcomeOf(folder, deleting(folder, {}))).toBe("opened");
  });

  test("is made again, in its folder", () => {
    const folder = folderWithIndex(() => undefined);
    expect(outcomeOf(folder, deleting(indexIn(folder).indexPath, {}))).toBe("opened");
  });

  test("is not found by those who only read", () => {
    const [one, another] = [folderWithIndex(() => undefined), folderWithIndex(() => undefined)];
    expect(outcomeOf(one, deleting(one, { readonly: true }))).toBe("not_found");
    expect(outcomeOf(another, deleting(indexIn(another).indexPath, { readonly: true }))).toBe("not_found");
  });
});

describe("opened read-only", () => {
  test("a missing index is not found", () => {
    expect(outcomeOf(tempDir(), { readonly: true })).toBe("not_found");
  });

  test("an index in a missing folder is not found", () => {
    expect(outcomeOf(join(tempDir(), "nowhere"), { readonly: true })).toBe("not_found");
  });

  test("an index that another process is about to make is not found", () => {
    const folder = tempDir();
    writeFileSync(indexIn(folder).indexPath, "");
    expect(outcomeOf(folder, { readonly: true })).toBe("not_found");
    const other = new (loadSqlite())(indexIn(folder).indexPath);
    onTestFinished(() => void other.close());
    other.pragma("auto_vacuum = INCREMENTAL");
    other.pragma("journal_mode = WAL");
    expect(outcomeOf(folder, { readonly: true })).toBe("not_found");
  });

  test("an index that has taken another's place is not read beside it", () => {
    const [folder, elsewhere] = [folderWithIndex(() => undefined), folderWithIndex(() => undefined)];
    const index = openIndex(indexIn(folder));
    onTestFinished(() => index.close());
    renameSync(indexIn(elsewhere).indexPath, indexIn(folder).indexPath);
    const hint = expect.stringContaining("reopen the index");
    expect(() => index.reader).toThrow(expect.objectContaining({ code: "io", hint }));
  });

  test("a missing full-text database is not found", () => {
    const folder = folderWithIndex(() => undefined);
    const index = openIndex(indexIn(folder), { readonly: true });
    onTestFinished(() => index.close());
    expect(() => index.search).toThrow(expect.objectContaining({ code: "not_found" }));
  });

  test("an index that has to be migrated first cannot be read yet", () => {
    expect(
      outcomeOf(
        folderWithIndex((database) => database.pragma("user_version = 0")),
        { readonly: true },
      ),
    ).toBe("busy");
  });

  test("an index is not written to", () => {
    const index = openIndex(indexIn(folderWithIndex(() => undefined)), { readonly: true });
    onTestFinished(() => index.close());
    expect(() => index.database.exec("DELETE FROM files")).toThrow(/readonly/);
  });
});

describe("D15: without permission", () => {
  test.each<[string, OpenOptions]>([
    ["to write", {}],
    ["to read", { readonly: true }],
  ])("an index in a closed folder cannot be opened %s", (_what, options) => {
    const parent = tempDir();
    const folder = join(parent, "closed");
    chmodSync(parent, 0o755);
    withIndex(folder, () => undefined);
    chmodSync(folder, 0o000);
    expect(asNobody(() => outcomeOf(folder, options))).toBe("io");
  });

  test("an index in a folder that cannot be made cannot be opened", () => {
    const parent = tempDir();
    chmodSync(parent, 0o555);
    expect(asNobody(() => outcomeOf(join(parent, "new")))).toBe("io");
  });

  test("an index file that cannot be read cannot be opened", () => {
    const folder = folderWithIndex(() => undefined);
    chmodSync(folder, 0o777);
    chmodSync(indexIn(folder).indexPath, 0o000);
    expect(asNobody(() => outcomeOf(folder))).toBe("io");
  });
});

test("a folder in the index's place cannot be opened", () => {
  const folder = tempDir();
  mkdirSync(indexIn(folder).indexPath);
  expect(outcomeOf(folder)).toBe("io");
});

test("an index not yet in WAL mode that somebody goes on reading is busy", () => {
  const folder = tempDir();
  const other = new (loadSqlite())(indexIn(folder).indexPath);
  onTestFinished(() => {
    other.close();
  });
  other.pragma("auto_vacuum = INCREMENTAL");
  other.exec("BEGIN; SELECT * FROM sqlite_schema");
  expect(outcomeOf(folder, { busyTimeoutMs: 20 })).toBe("busy");
});

test("an index another process is migrating is busy", () => {
  const folder = folderWithIndex((database) => database.pragma("user_version = 0"));
  const other = new (loadSqlite())(indexIn(folder).indexPath);
  onTestFinished(() => {
    other.close();
  });
  other.exec("BEGIN IMMEDIATE");
  expect(outcomeOf(folder, { busyTimeoutMs: 1 })).toBe("busy");
});

test.each([
  ["SQLITE_BUSY_SNAPSHOT", "busy", "another process is writing to the index"],
  ["SQLITE_LOCKED_SHAREDCACHE", "busy", "another process is writing to the index"],
  ["SQLITE_READONLY_DBMOVED", "busy", "another index has replaced the one"],
  ["SQLITE_ERROR", "index_corrupt", "the index is damaged"],
  ["SQLITE_CORRUPT_VTAB", "index_corrupt", "the index is damaged"],
  ["SQLITE_IOERR_SHORT_READ", "index_corrupt", "the index is damaged"],
  ["SQLITE_FULL", "io", "no space left"],
  ["SQLITE_IOERR_SHMSIZE", "io", "no space left"],
  ["ENOSPC", "io", "no space left"],
  ["EDQUOT", "io", "no space left"],
  ["EMFILE", "io", "too many files are open"],
  ["ENFILE", "io", "too many files are open"],
  ["SQLITE_IOERR_READ", "io", "the index cannot be opened (SQLITE_IOERR_READ)"],
  ["EIO", "io", "the index cannot be opened (EIO)"],
])("what the system says of an index as %s is told as %s: %s", (said, code, message) => {
  const SqliteError = loadSqlite().SqliteError;
  const error = said.startsWith("SQLITE_")
    ? new SqliteError("it broke", said)
    : Object.assign(new Error("it broke"), { code: said, syscall: "open" });
  const told = toStoreError(error, "/srv/index-v1.db");
  expect(told).toMatchObject({ code, cause: said.endsWith("DBMOVED") ? undefined : error });
  expect(told).toMatchObject({ message: expect.stringMatching(/\/srv\/index-v1\.db$/) });
  expect(String(told)).toContain(message);
});

test.each(["SQLITE_IOERR_WRITE", "EFBIG", "EIO"])(
  "a disk that fails, as %s, is told with what it may be",
  (code) => {
    const error = Object.assign(new Error("it broke"), { code });
    expect(toStoreError(error, "/srv/index-v1.db")).toMatchObject({
      code: "io",
      hint: expect.stringContaining("ulimit -f"),
    });
  },
);

test.each(["index.db ", "index.db\n"])(
  "a name that would open another file is refused, and no file made: %j",
  (name) => {
    const folder = tempDir();
    const location = { ...indexIn(folder), indexPath: join(folder, name) };
    for (const readonly of [false, true]) {
      expect(() => openIndex(location, { readonly })).toThrow(
        expect.objectContaining({ code: "usage", message: expect.stringContaining("white space") }),
      );
    }
    expect(readdirSync(folder)).toEqual([]);
  },
);

test("a bug is not explained", () => {
  const bug = new TypeError("undefined is not a function");
  expect(toStoreError(bug, "/srv/index-v1.db")).toBe(bug);
});

test("an error says where the index is and what to do", () => {
  const folder = garbage();
  const { indexPath } = indexIn(folder);
  expect(() => openIndex(indexIn(folder))).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(indexPath),
      hint: expect.stringMatching(/rebuild/),
    }),
  );
});
