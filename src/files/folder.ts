import { mkdirSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { codeOf, unlessUnreadable } from "../errors.ts";

/**
 * Creates a folder and those it lies in, where they are missing. `mkdirSync` with `recursive` does the same, but never
 * returns on file systems that have no such name and let none be created (procfs, an automounter's folder of homes).
 *
 * @throws the file system's error
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    makeOne(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) !== "ENOENT" || parent === path) throw error;
    makeFolder(parent, mode);
    makeOne(path, mode);
  }
}

/** Any error is ignored if the folder is there already: file systems differ in which one they give then. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (folderAt(path) === null) throw error;
  }
}

/**
 * Whether a folder that a session file names is not there (any more), or is one of another system. Without a name nothing
 * is gone, and what may not be looked at may be there.
 */
export function isFolderGone(path: string): boolean {
  if (path === "") return false;
  if (!isAbsolute(path)) return true;
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return !["EACCES", "EPERM"].includes(codeOf(error));
  }
}

/** Null when there is no folder, or none that can be looked at. */
export function folderAt(path: string): Stats | null {
  const stats = unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }));
  return stats?.isDirectory() ? stats : null;
}
