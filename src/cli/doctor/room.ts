import { type StatsFs, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { isAlmostFull } from "../../files/file-system.ts";
import type { Finding } from "../../reports/finding.ts";
import { formatBytes, plural } from "../../text/numbers.ts";
import type { Context } from "../command-line/command.ts";
import { foldersAbove, statsOf } from "./places.ts";

/**
 * Measured on a small disk: to open an index takes 64 KB, to make one less than 512 KB; the rest is for some new lines.
 * Many of them may take several MB at once.
 */
const LEAST_TO_WORK_BYTES = 1024 * 1024;
/** Two databases, each with its log and its shared memory. */
const LEAST_TO_WORK_FILES = 6;

/** Whether there is room on the disk where the index is, or will be. */
export function checkRoom({ config }: Context): Finding[] {
  const wanted = dirname(config.location.indexPath);
  // Where there is no folder yet, it will be made on the disk of the one above.
  const folder = [wanted, ...foldersAbove(wanted)].find((each) => statsOf(each) !== "ENOENT") ?? wanted;
  if (typeof statsOf(folder) === "string") return [];
  const disk = statfsSync(folder);
  return [...findRoom(folder, disk), ...findFiles(folder, disk)];
}

/** What there is to say about the space that is left on the disk of a folder. */
export function findRoom(folder: string, disk: Pick<StatsFs, "bavail" | "blocks" | "bsize">): Finding[] {
  const left = disk.bavail * disk.bsize;
  if (left < LEAST_TO_WORK_BYTES) return [noRoom(folder, left)];
  if (!isAlmostFull(disk)) return [];
  return [
    {
      level: "warning",
      what: `the disk that holds the index is almost full (${formatBytes(left)} left): the daemon writes nothing`,
      where: folder,
      remedy: "Free some space; it then continues by itself",
    },
  ];
}

function noRoom(folder: string, left: number): Finding {
  return {
    level: "error",
    what: `the disk that holds the index is full (${formatBytes(left)} left): creating, opening or updating the index fails, or soon will`,
    where: folder,
    remedy: "Free some space, or move the index to another disk with --db, or db in the configuration",
  };
}

/** What is to be said about the files that can still be made there. A file system that sets no limit says that it has 0 in all. */
export function findFiles(folder: string, { files, ffree }: Pick<StatsFs, "files" | "ffree">): Finding[] {
  if (files === 0 || ffree >= LEAST_TO_WORK_FILES) return [];
  return [
    {
      level: "error",
      what: `the disk that holds the index has no room for more files (${plural(ffree, "inode")} left): creating or opening the index fails, or soon will`,
      where: folder,
      remedy:
        "Remove files there (df -i shows how many are left), or move the index to another disk with --db, or db in the configuration",
    },
  ];
}
