import type { Stats } from "node:fs";
import { basename, sep } from "node:path";

/** Whether a file is named as those in which some writers keep a session as one JSON array of the same entries. */
export function isArrayFileName(path: string): boolean {
  return path.endsWith(".json");
}

export function isSessionFileName(name: string): boolean {
  return name.endsWith(".jsonl") || isArrayFileName(name);
}

/** How the paths of all that lies in a folder begin. Not `join`, on which a tenth of a list's time would be spent. */
export function insideOf(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** The first text that sorts after all paths below a folder: its path with the separator raised by one. */
export function beyond(folder: string): string {
  return insideOf(folder).slice(0, -1) + String.fromCharCode(sep.charCodeAt(0) + 1);
}

/** Whether a path is the folder itself or lies below it. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(insideOf(folder));
}

export function isWithinAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isWithin(folder, path));
}

export type Origin = "interactive" | "fork" | "subagent";

/** Where a session comes from. Sub-agents' sessions are written as `<session>/<hash>/run-N/session.jsonl`. */
export function originOf(path: string, parentSession: string | null): Origin {
  if (/[\\/]run-\d+[\\/]session\.jsonl$/.test(path)) return "subagent";
  return parentSession === null ? "interactive" : "fork";
}

/** Whether it is named as what `pathOfCopy` gives. */
export function isUnfinishedCopy(path: string): boolean {
  return /^\.sessiondb-[\da-f-]{36}\.new$/.test(basename(path));
}

/** How many folders deep a walk goes into what a link leads to. Sessions of sub-agents lie five deep below a root. */
export const LINK_DEPTH = 8;

/** What no session lies in, and what may have no end: the folders of processes and devices, the system's programs. */
const SYSTEM_TREES = [
  "/proc",
  "/sys",
  "/dev",
  "/boot",
  "/etc",
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/System",
];

/**
 * Why a walk does not follow a link to a folder; null: it does. Behind a link to `/` lies all that the machine has, with
 * others' session files, and behind one to `/proc` each folder again and again.
 */
export function whyNotFollowed(realPath: string, { uid }: Pick<Stats, "uid">): string | null {
  if (/^(?:[A-Z]:)?[\\/]$/i.test(realPath)) return "a link to the whole disk is not followed";
  if (isWithinAny(SYSTEM_TREES, realPath)) return "a link to a folder of the system is not followed";
  const own = process.getuid?.();
  return own === undefined || own === uid ? null : "a link to another user's folder is not followed";
}
