import { type StatsFs, statfsSync } from "node:fs";

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

/** The same of a disk whose figures are known. */
export function isAlmostFull({
  bavail,
  blocks,
  bsize,
}: Pick<StatsFs, "bavail" | "blocks" | "bsize">): boolean {
  return bavail * bsize < Math.max(LEAST_FREE_BYTES, blocks * bsize * LEAST_FREE_SHARE);
}
