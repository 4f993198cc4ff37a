import { statSync } from "node:fs";
import type { IndexLocation } from "./open.ts";

/** Tells a file from all others. */
export interface FileId {
  device: number;
  inode: number;
  /**
   * Unix ms; needed because the inode of a deleted file is given to the next new one. Null where the system does not
   * know it.
   */
  bornAt: number | null;
}

/** Which files an index consists of at some moment; null for one that is not there. */
export type IndexFiles = Readonly<Record<keyof IndexLocation, FileId | null>>;

/** Which file is at a path. It is never opened: closing it would drop all locks that this process holds on it. */
export function fileAt(path: string): FileId | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const { dev: device, ino: inode, birthtimeMs, ctimeMs } = stats;
  // Where the time of birth is not known Node gives that of the last change, which every write renews.
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
