import type { Stats } from "node:fs";
import { basename, sep } from "node:path";

/** Whether a file is named as those in which some writers keep a session as one JSON array of the same entries; packed or not. */
export function isArrayFileName(path: string): boolean {
  return unpackedName(path).endsWith(".json");
}

export function isSessionFileName(name: string): boolean {
  return name.endsWith(".jsonl") || name.endsWith(".json");
}

/** How packed files are called after the session file: as the tools that unpack them expect. */
export const CODECS = ["gz", "zst"] as const;
export type Codec = (typeof CODECS)[number];

const PACKED = /(\.jsonl?)\.(?:gz|zst)$/;

/** Whether a file is named as session files are in the archive. */
export function isPackedName(name: string): boolean {
  return PACKED.test(name);
}

/** Whether a file is named as a session file, packed or not. */
export function mayHoldSession(name: string): boolean {
  return isSessionFileName(name) || isPackedName(name);
}

/** The name of the session file that is packed in a file; any other name as it stands. */
export function unpackedName(name: string): string {
  return name.replace(PACKED, "$1");
}

/** How the name of a file ends that is being packed, or unpacked. */
export const PART = ".part";

/**
 * The archive of a root: the folder beside it, so that pi does not list it, or a link to one on another disk. Not a
 * setting: whoever did not know it would take archived sessions for deleted ones.
 */
export function archiveOf(root: string): string {
  return `${root.replace(/[/\\]+$/, "")}-archive`;
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

/** Where a session comes from. */
export type Origin = "interactive" | "fork" | "handoff" | "subagent";

/** What the path of a sub-agent's session is, after the name of the session that it works for. */
const IN_SESSION = /[\\/]\d{4}-\d\d-\d\dT[\dZ-]+_[^\\/]+[\\/]/;
const IN_RUN = /[\\/](?:run|attempt)-\d+[\\/][^\\/]+$|[\\/]forks[\\/][^\\/]+$/;

/** Whether a session lies where sub-agents' sessions are written: `<session>/<hash>/run-N/session.jsonl`, `forks/`, `<session>/<Agent>.jsonl`. */
export function isSubagentPath(path: string): boolean {
  return IN_RUN.test(path) || IN_SESSION.test(path);
}

/** Name of an agent by which its session file is called; null for names that are numbers, times or the same for all. */
export function agentInName(path: string): string | null {
  const name = /([^\\/]+)\.jsonl?$/.exec(path)?.[1] ?? "";
  return /^(?:session|\d.*|[0-9a-f]{8,}.*)$/.test(name) ? null : name;
}

/**
 * The file of the session to whose sub-agents a folder belongs, if it is such a folder; null for pi's folders of projects,
 * whatever file is called as one of them.
 */
export function familyOwner(folder: string): string | null {
  return /[\\/]--[^\\/]*--$/.test(folder) ? null : `${folder}.jsonl`;
}

/** The folder in which the sessions of a session's sub-agents are written. */
export function familyFolder(path: string): string {
  return path.replace(/\.jsonl?$/, "");
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

/** Whether the name of a session may be its path: no id of pi's holds any of these characters. */
export function looksLikePath(name: string): boolean {
  return /[/\\]|\.jsonl?$/.test(name);
}

/** Whether a file or folder is excluded, by the path by which it is reached or by its real one. */
export type IsExcluded = (path: string) => boolean;

export const NOTHING_EXCLUDED: IsExcluded = () => false;

/**
 * Excludes what one of the absolute paths names, and all that lies below it. `*` stands for any part of one name. On
 * platforms whose file systems usually take names that differ in case, or in how an accent is encoded, for the same,
 * such names are the same here.
 */
export function exclusionOf(
  patterns: readonly string[],
  platform: NodeJS.Platform = process.platform,
): IsExcluded {
  if (patterns.length === 0) return NOTHING_EXCLUDED;
  const normal = (path: string): string => (isLenient(platform) ? path.normalize() : path);
  const excluded = pathPattern(patterns.map(normal), platform);
  return (path) => excluded.test(normal(path));
}

/** Matches the beginning of a path that is one of the patterns, up to the end of a name. */
export function pathPattern(
  patterns: readonly string[],
  platform: NodeJS.Platform = process.platform,
): RegExp {
  const sources = patterns.map((pattern) => {
    const names = pattern.replace(/[/\\]+$/, "").split("*");
    return names.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("[^/\\\\]*");
  });
  return new RegExp(`^(?:${sources.join("|")})(?=[/\\\\]|$)`, isLenient(platform) ? "i" : "");
}

function isLenient(platform: NodeJS.Platform): boolean {
  return platform === "win32" || platform === "darwin";
}
