import { type StatsFs, statfsSync } from "node:fs";

/**
 * File systems whose files other machines may change, by the type that `statfs` gives on Linux. The numbers are those of
 * statfs(2) and linux/magic.h.
 */
const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "SMB"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x786f4256, "VirtualBox"],
]);
const FAT: readonly number[] = [0x4d44, 0x2011bab0];

/**
 * How coarse the times of local file systems are, in ms: a file written less than that before it was read may change
 * again while its times stay the same.
 */
export const LOCAL_GRANULARITY_MS = 20;
/**
 * How coarse those of FAT are, which counts in steps of two seconds, and of network file systems, which use the server's
 * clock and cache their answers.
 */
export const COARSE_GRANULARITY_MS = 2000;

/** The name of a file system whose files change without this machine being notified; null for all others. */
export function remoteKind(type: number): string | null {
  return REMOTE.get(type >>> 0) ?? null;
}

/** How coarse the times of a file system are, in ms, by its type. */
export function granularityOf(type: number): number {
  const isCoarse = remoteKind(type) !== null || FAT.includes(type >>> 0);
  return isCoarse ? COARSE_GRANULARITY_MS : LOCAL_GRANULARITY_MS;
}

/**
 * What is left to others, whichever is more: an index that can be made again must not be why pi cannot save a session.
 * SQLite needs some of it, too: on a full disk it can neither delete rows nor write its log back.
 */
const LEAST_FREE_BYTES = 256 * 1024 * 1024;
const LEAST_FREE_SHARE = 0.02;

/** Whether so little room is left on the disk of a folder that others need it more. */
export function isDiskFull(folder: string): boolean {
  return isAlmostFull(statfsSync(folder));
}

/** Whether a disk with these figures has so little room left. */
export function isAlmostFull({
  bavail,
  blocks,
  bsize,
}: Pick<StatsFs, "bavail" | "blocks" | "bsize">): boolean {
  return bavail * bsize < Math.max(LEAST_FREE_BYTES, blocks * bsize * LEAST_FREE_SHARE);
}
