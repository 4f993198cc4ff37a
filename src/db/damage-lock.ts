import { dirname, join } from "node:path";
import { busyWith } from "./explain.ts";
import { takeLock } from "./lock.ts";

/** The lock is held for three renames, longer only when its holder was stopped in the middle of them. */
const WAIT_MS = 5000;

/**
 * Does what only one process at a time may do in the folder of a database: move away a damaged database, or the leftovers
 * of a deleted one. Between looking at a file and moving it, no other process may do the same.
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
