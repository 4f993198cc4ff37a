/** What Linux says about a process. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * User and system time of a process and its threads so far, in ms; the kernel counts in steps of ten. @param {number}
 * pid
 */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory in MB. @param {number} pid */
export function memoryMb(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** How many inotify watches a process has. @param {number} pid */
export function watchesOf(pid) {
  const folder = `/proc/${pid}/fd`;
  const inotify = readdirSync(folder).filter((fd) => linkAt(`${folder}/${fd}`) === "anon_inode:inotify");
  return inotify
    .map((fd) => readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8").match(/^inotify wd:/gm)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0);
}

/**
 * The target of a link; a process that looks at itself also finds the descriptor it reads with, which is closed by
 * then.
 */
function linkAt(path) {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}
