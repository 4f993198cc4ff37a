import { dirname, join } from "node:path";
import { busyWith } from "./explain.ts";
import { takeLock } from "./lock.ts";

/** It is held for three renames, unless its holder was stopped in the middle of them. */
const WAIT_MS = 5000;

/**
 * Does what only one process may do at a time in the folder of a database: to move a damaged one away, or what was left
 * of a deleted one. Between looking at a file and moving it nobody else may do the same.
 *
 * @throws SessionDbError `busy`, `io`
 */
export function withDamageLock<T>(path: string, work: () => T): T {
  const lock = takeLock(join(dirname(path), "damage-lock.db"), WAIT_MS);
  if (lock === null) throw busyWith(path);
  try {
    return work();
  } finally {
    lock.release();
  }
}
