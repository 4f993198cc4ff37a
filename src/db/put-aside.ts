import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../errors.ts";
import type { FileIdentity } from "../file-identity.ts";
import { busyWith } from "./explain.ts";
import { fileAt, type IndexFiles, isSameFile } from "./file-at.ts";
import { takeLock } from "./lock.ts";
import type { IndexLocation } from "./open.ts";

/** It is held for three renames, unless its holder was stopped in the middle of them. */
const WAIT_MS = 5000;

/**
 * Moves damaged databases out of the way, as `<path>.damaged`; the next opening makes new ones. What is no longer the file
 * that was `seen` to be damaged is left alone: another process has put that aside, and this is what it has made since.
 * Whether there was anything to move.
 *
 * @throws SessionDbError `busy`, `io`
 */
export function putAside(
  paths: readonly (keyof IndexLocation)[],
  location: IndexLocation,
  seen: IndexFiles,
): boolean {
  const folder = dirname(location.indexPath);
  // Between looking at a file and moving it nobody else may do the same.
  const lock = takeLock(join(folder, "damage-lock.db"), WAIT_MS);
  if (lock === null) throw busyWith(location.indexPath);
  try {
    return paths.filter((which) => moveAway(location[which], seen[which])).length > 0;
  } finally {
    lock.release();
  }
}

function moveAway(path: string, seen: FileIdentity | null): boolean {
  const files = ["", "-wal", "-shm"].map((suffix) => ({ suffix, file: fileAt(path + suffix) }));
  if (!isSameFile(files[0]?.file ?? null, seen)) return false;
  for (const { suffix, file } of files) {
    // As soon as the database is gone somebody may make a new one, and a log of it.
    if (!isSameFile(fileAt(path + suffix), file)) continue;
    try {
      renameSync(path + suffix, `${path}.damaged${suffix}`);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
  return true;
}
