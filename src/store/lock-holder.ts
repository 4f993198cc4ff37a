import { closeSync, openSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../errors.ts";

/**
 * SQLite's exclusive lock, as Linux lists it: kind, process, device and file, first and last byte. It may be listed as one
 * with the locks before it.
 */
const EXCLUSIVE =
  /^\d+: POSIX +ADVISORY +WRITE (\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) 107374182[4-6] 1073742335$/gm;

/** Whether the system lists who holds which lock, as Linux does where we may read the list. */
export function listsLocks(): boolean {
  return readLocks() !== null;
}

/**
 * Which process holds a lock (`FileLock`), as far as the system tells: null where nobody does, where that cannot be known
 * (other systems than Linux), or where it is a process of another container or machine.
 */
export function lockHolder(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  const locks = readLocks();
  if (stats === undefined || locks === null || !isProcOurs()) return null;
  const device = deviceOf(path);
  for (const [, pid, major, minor, inode] of locks.matchAll(EXCLUSIVE)) {
    const isOnDevice = device === `${Number.parseInt(major ?? "", 16)}:${Number.parseInt(minor ?? "", 16)}`;
    if (isOnDevice && inode === String(stats.ino) && Number(pid) > 0) return Number(pid);
  }
  return null;
}

/** Whether /proc is that of our own container: in another's, processes have other numbers than here. */
function isProcOurs(): boolean {
  try {
    return readlinkSync("/proc/self") === String(process.pid);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/**
 * The device of the file system a file is on, as locks are listed: where a disk is made of several volumes (btrfs), `stat`
 * gives another number. It is looked up for the folder, because closing a file drops all locks this process has on it.
 */
function deviceOf(path: string): string | undefined {
  const fd = openSync(dirname(path), "r");
  try {
    const [, mount] = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")) ?? [];
    const mounts = readFileSync("/proc/self/mountinfo", "utf8");
    return new RegExp(`^${mount} \\d+ (\\d+:\\d+) `, "m").exec(mounts)?.[1];
  } finally {
    closeSync(fd);
  }
}

function readLocks(): string | null {
  if (process.platform !== "linux") return null;
  try {
    return readFileSync("/proc/locks", "utf8");
  } catch (error) {
    if (["ENOENT", "EACCES"].includes(codeOf(error))) return null;
    throw error;
  }
}
