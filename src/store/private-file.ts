import { closeSync, lstatSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, SessionDbError } from "../errors.ts";
import { makeFolder } from "../files/folder.ts";

/** What SQLite keeps beside a database. */
export const PARTS_BESIDE = ["-wal", "-shm", "-journal"] as const;

/**
 * Creates folder and file readable by their owner only, before SQLite opens them: `-wal` and `-shm` inherit the mode.
 * What is there is taken as it is, unless it was put there by another user, who would read along.
 *
 * @throws SessionDbError `io`; the file system's error
 */
export function createPrivately(path: string): void {
  assertOwnParts(path);
  if (statSync(path, { throwIfNoEntry: false })) return;
  makeFolder(dirname(path), 0o700);
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    assertOwn(path);
  }
}

/** Whatever SQLite opens for a database. @throws SessionDbError `io` for what is another user's */
export function assertOwnParts(path: string): void {
  for (const part of ["", ...PARTS_BESIDE]) assertOwn(path + part);
}

/** Root, and Windows, where files have no such owner, may use what they find. */
function assertOwn(path: string): void {
  const self = process.geteuid?.() ?? 0;
  if (self === 0) return;
  const found = [lstatSync(path, { throwIfNoEntry: false }), statSync(path, { throwIfNoEntry: false })];
  if (found.every((stat) => stat === undefined || stat.uid === self)) return;
  throw new SessionDbError("io", `the index belongs to another user: ${path}`, {
    hint: "Choose another file with --db, in a folder that only you can write to.",
  });
}
