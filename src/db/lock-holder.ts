import { readFileSync, statSync } from "node:fs";
import { codeOf } from "../errors.ts";

/**
 * SQLite's exclusive lock, as Linux lists it: kind, process, device and file, first and last byte. It may be listed as one
 * with the locks before it.
 */
const EXCLUSIVE =
  /^\d+: POSIX +ADVISORY +WRITE (\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) 107374182[4-6] 1073742335$/gm;

/**
 * Which process holds a lock (`FileLock`), as far as the system tells: null where nobody does, where that cannot be known
 * (other systems than Linux, disks that are made of several), or where it is a process of another container.
 */
export function lockHolder(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  const locks = stats === undefined ? "" : readLocks();
  for (const [, pid, major, minor, inode] of locks.matchAll(EXCLUSIVE)) {
    const device = deviceNumber(BigInt(`0x${major}`), BigInt(`0x${minor}`));
    if (inode === String(stats?.ino) && device === stats?.dev && Number(pid) > 0) return Number(pid);
  }
  return null;
}

/** As the C library puts the two numbers of a device together. */
function deviceNumber(major: bigint, minor: bigint): bigint {
  return (
    ((major & 0xfffff000n) << 32n) |
    ((major & 0xfffn) << 8n) |
    ((minor & 0xffffff00n) << 12n) |
    (minor & 0xffn)
  );
}

function readLocks(): string {
  if (process.platform !== "linux") return "";
  try {
    return readFileSync("/proc/locks", "utf8");
  } catch (error) {
    if (["ENOENT", "EACCES"].includes(codeOf(error))) return "";
    throw error;
  }
}
