import { lstatSync, renameSync, rmSync } from "node:fs";
import { codeOf, isSystemError, SessionDbError } from "../errors.ts";
import type { FileIdentity } from "../file-identity.ts";
import { withDamageLock } from "./damage-lock.ts";
import { fileAt, type IndexFiles, type IndexLocation, isSameFile } from "./file-at.ts";

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
  return withDamageLock(
    location.indexPath,
    () => paths.filter((which) => moveAway(location[which], seen[which])).length > 0,
  );
}

/** Removes what was put aside, which may hold words of sessions that were deleted since. */
export function removePutAside(location: IndexLocation): void {
  for (const path of Object.values(location)) {
    for (const suffix of SUFFIXES) {
      if (isPutAside(path, suffix)) rmSync(asideOf(path, suffix), { force: true });
    }
  }
}

/** Whether something was put aside that was at `path`. A folder of that name is somebody else's. */
export function isPutAside(path: string, suffix: Suffix = ""): boolean {
  return lstatSync(asideOf(path, suffix), { throwIfNoEntry: false })?.isDirectory() === false;
}

function asideOf(path: string, suffix: Suffix): string {
  return `${path}.damaged${suffix}`;
}

/** A database, and what has to go with it. */
const SUFFIXES = ["", "-wal", "-shm"] as const;

type Suffix = (typeof SUFFIXES)[number];

function moveAway(path: string, seen: FileIdentity | null): boolean {
  const files = SUFFIXES.map((suffix) => ({ suffix, file: fileAt(path + suffix) }));
  if (!isSameFile(files[0]?.file ?? null, seen)) return false;
  for (const { suffix, file } of files) {
    // As soon as the database is gone, another process may make a new one, with a log of its own.
    if (!isSameFile(fileAt(path + suffix), file)) continue;
    try {
      renameSync(path + suffix, asideOf(path, suffix));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw cannotMove(path + suffix, error);
    }
  }
  return true;
}

function cannotMove(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return new SessionDbError("io", `the damaged index cannot be put aside (${codeOf(error)}): ${path}`, {
    cause: error,
    hint: "Remove the file yourself: the index is rebuilt from the session files.",
  });
}
