import { type Dirent, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SessionDbError, unlessUnreadable } from "../errors.ts";
import { beginsWithPacked, partOf, unpackTo } from "./archive-file.ts";
import { originalOf } from "./archive-place.ts";
import { archiveOf, isPackedName, PART } from "./session-path.ts";

/** The packed files in the archive of a root. */
export function packedFilesOf(root: string): string[] {
  return filesBelow(archiveOf(root)).filter(isPackedName);
}

/** A packed session in whose place another file lies. */
export interface Covered {
  packed: string;
  original: string;
}

/** Sessions of the archives that nobody sees: a file lies in their place that does not begin with them. */
export function coveredIn(roots: readonly string[]): Covered[] {
  return roots.flatMap(packedFilesOf).flatMap((packed) => {
    const original = originalOf(packed, roots);
    const isCovered =
      original !== null &&
      existsSync(original) &&
      unlessUnreadable(() => beginsWithPacked(original, packed)) === false;
    return isCovered ? [{ packed, original }] : [];
  });
}

/**
 * Ends what was begun by a process that was killed: of a session that lies in both places the packed file is a left-over, if
 * the session file begins with all of it. To be called with the locks of the archives.
 */
export function finishMoves(roots: readonly string[]): void {
  for (const path of roots.flatMap((root) => filesBelow(archiveOf(root)))) {
    if (path.endsWith(PART)) rmSync(path, { force: true });
    const original = originalOf(path, roots);
    if (original === null) continue;
    rmSync(partOf(original), { force: true });
    if (existsSync(original)) finish(original, path);
  }
}

/** What lies there of another session stays, and is told of once it is to be moved. */
function finish(original: string, packed: string): void {
  try {
    unpackTo(original, packed);
  } catch (error) {
    if (!(error instanceof SessionDbError)) throw error;
  }
}

function filesBelow(folder: string): string[] {
  const entries: Dirent[] = unlessUnreadable(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
