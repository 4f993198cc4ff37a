import { sep } from "node:path";

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
