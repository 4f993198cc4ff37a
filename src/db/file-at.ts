import { statSync } from "node:fs";
import type { IndexLocation } from "./open.ts";

/** Tells a file from all others. */
export interface FileId {
  device: number;
  inode: number;
  /** Unix ms: a number that was freed is given to the next file that is made. Null where it may be the last change's. */
  bornAt: number | null;
}

/** Which files an index consists of at some moment; null for one that is not there. */
export type IndexFiles = Readonly<Record<keyof IndexLocation, FileId | null>>;

/** Which file is at a path. Only looked at: to open a database would drop the locks of those who have it open. */
export function fileAt(path: string): FileId | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const { dev: device, ino: inode, birthtimeMs, ctimeMs } = stats;
  // Where nobody knows when a file was born Node gives its last change, which comes anew with every writing.
  return { device, inode, bornAt: birthtimeMs === ctimeMs ? null : birthtimeMs };
}

export function filesAt({ indexPath, searchPath }: IndexLocation): IndexFiles {
  return { indexPath: fileAt(indexPath), searchPath: fileAt(searchPath) };
}

/** False for what is not there. */
export function isSameFile(a: FileId | null, b: FileId | null): boolean {
  if (a === null || b === null || a.device !== b.device || a.inode !== b.inode) return false;
  return a.bornAt === null || b.bornAt === null || a.bornAt === b.bornAt;
}
