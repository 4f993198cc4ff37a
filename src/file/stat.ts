import { fstatSync, type Stats, statSync } from "node:fs";
import { type FileIdentity, identityOf } from "../file-identity.ts";

/** The metadata of a file by which one state of it is told from another. */
export interface FileStat extends FileIdentity {
  /** Bytes. */
  size: number;
  /** Unix ms with the fraction the file system gives. */
  mtimeMs: number;
  ctimeMs: number;
}

/** For a file of which nothing is known. */
export const NO_STAT: FileStat = { device: 0, inode: 0, bornAt: null, size: 0, mtimeMs: 0, ctimeMs: 0 };

/** Spread last: in Node 20 each property added after a spread takes 0.4 us, as long as asking the system for a stat. */
export function toFileStat(stats: Stats): FileStat {
  const { size, mtimeMs, ctimeMs } = stats;
  return { size, mtimeMs, ctimeMs, ...identityOf(stats) };
}

export function sameStat(a: FileStat, b: FileStat): boolean {
  return (
    a.size === b.size &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.inode === b.inode &&
    a.device === b.device
  );
}

/** Stat of what a path leads to; null when nothing is there or it is not a regular file. */
export function statFile(path: string): FileStat | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? toFileStat(stats) : null;
}

export function statOpenFile(fd: number): FileStat {
  return toFileStat(fstatSync(fd));
}
