import { existsSync, rmSync } from "node:fs";
import { withDamageLock } from "./damage-lock.ts";
import { assertOwnParts, createPrivately, PARTS_BESIDE } from "./private-file.ts";

/**
 * Makes an empty database where there is none, as `createPrivately` does. What stands beside it then was left of one that
 * was deleted, and is removed before: a process that still has that one open keeps its log in use, which SQLite would
 * take for the log of the new one, and find it damaged.
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

/** Where somebody has made a database meanwhile, it is its own log. */
function removeLeftovers(path: string): void {
  if (!hasLeftovers(path)) return;
  for (const part of PARTS_BESIDE) rmSync(path + part, { force: true });
  createPrivately(path);
}

function hasLeftovers(path: string): boolean {
  return !existsSync(path) && PARTS_BESIDE.some((part) => existsSync(path + part));
}
