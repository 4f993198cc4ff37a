import { fstatSync, type Stats, statSync } from "node:fs";
import type { Opened } from "./packed-file.ts";

/** Identifies a file, whatever happens to its content and its name. */
export interface FileIdentity {
  device: number;
  inode: number;
  /**
   * Unix ms; needed because the inode of a deleted file is given to the next new one. Null where that is not known: the
   * index does not keep it.
   */
  bornAt: number | null;
}

export function identityOf(stats: Stats): FileIdentity {
  return { device: stats.dev, inode: stats.ino, bornAt: bornAt(stats) };
}

/** Where no birth time is known, Node gives 0, or the time of the last change (ctime), which every write renews. */
function bornAt({ birthtimeMs, ctimeMs }: Stats): number | null {
  if (birthtimeMs === 0) return null;
  birthsAreTold ??= process.platform === "linux" && isBirthOfNothingZero();
  return birthsAreTold || birthtimeMs !== ctimeMs ? birthtimeMs : null;
}

/** Whether the system reports birth times: then one that equals the ctime can be trusted. Asked once. */
let birthsAreTold: boolean | undefined;

/**
 * The files of /proc have no birth time. Where Linux reports birth times (`statx`), Node gives 0 for them, else the
 * ctime.
 */
function isBirthOfNothingZero(): boolean {
  return statSync("/proc/self", { throwIfNoEntry: false })?.birthtimeMs === 0;
}

/** Whether two stats are of one file, whatever has happened to its content. */
export function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  if (a.inode !== b.inode || a.device !== b.device) return false;
  return a.bornAt === null || b.bornAt === null || a.bornAt === b.bornAt;
}

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

/** Of a packed file with the size of the session file in it: all that is read of it has its places. */
export function statOpenFile(fd: Opened): FileStat {
  if (typeof fd === "number") return toFileStat(fstatSync(fd));
  return { ...toFileStat(fstatSync(fd.fd)), size: fd.size };
}
