import { existsSync, rmSync } from "node:fs";
import { withDamageLock } from "./damage-lock.ts";
import { assertOwnParts, createPrivately, PARTS_BESIDE } from "./private-file.ts";

/**
 * Makes an empty database where there is none, as `createPrivately` does. A log that stands there without its database was
 * left by one that was deleted, and is removed first: a process that still has the deleted one open goes on using the log,
 * and SQLite would take it for that of the new database, and find this damaged.
 *
 * @throws SessionDbError `busy`, `io`; the file system's error
 */
export function createDatabase(path: string): void {
  if (hasLeftovers(path)) {
    assertOwnParts(path);
    withDamageLock(path, () => removeLeftovers(path));
  }
  createPrivately(path);
}

/** Not where somebody has made a database meanwhile: then the log belongs to that. */
function removeLeftovers(path: string): void {
  if (!hasLeftovers(path)) return;
  for (const part of PARTS_BESIDE) rmSync(path + part, { force: true });
  createPrivately(path);
}

function hasLeftovers(path: string): boolean {
  return !existsSync(path) && PARTS_BESIDE.some((part) => existsSync(path + part));
}
