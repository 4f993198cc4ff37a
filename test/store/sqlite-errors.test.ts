import { join } from "node:path";
import { expect, test } from "vitest";
import { isGone } from "../../src/store/sqlite-errors.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const MOVED = ["SQLITE_READONLY_DBMOVED", "SQLITE_IOERR_DELETE_NOENT"];
const PERHAPS = ["ENOENT", "SQLITE_CANTOPEN", "SQLITE_CANTOPEN_ISDIR", "SQLITE_IOERR", "SQLITE_IOERR_FSTAT"];
const OTHERS = ["SQLITE_BUSY", "SQLITE_CORRUPT", "SQLITE_FULL", "SQLITE_READONLY", "EACCES"];

test("a database is gone when it was moved while it was opened, or cannot be opened and is not there", () => {
  const there = tempDir();
  const goneAt = (path: string) =>
    [...MOVED, ...PERHAPS, ...OTHERS].filter((code) =>
      isGone(Object.assign(new Error(code), { code }), path),
    );
  expect([goneAt(there), goneAt(join(there, "index-v1.db"))]).toEqual([MOVED, [...MOVED, ...PERHAPS]]);
});
