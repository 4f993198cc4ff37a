import { type Stats, statSync } from "node:fs";

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
