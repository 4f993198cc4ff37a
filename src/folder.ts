import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "./errors.ts";

/**
 * Creates a folder and those it lies in, where they are missing. `mkdirSync` with `recursive` does the same, but never comes
 * back where a file system knows no such name and takes none (procfs, an automounter's folder of homes).
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

/** Where the folder is there already, whatever error there was means nothing: file systems differ in what they say then. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return false;
  }
}
