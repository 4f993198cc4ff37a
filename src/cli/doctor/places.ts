import { accessSync, constants, lstatSync, readdirSync, type Stats, statfsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, unlessUnreadable } from "../../errors.ts";
import { remoteKind } from "../../files/file-system.ts";
import { realPathOrNull } from "../../files/paths.ts";
import { isWithin } from "../../files/session-path.ts";
import type { Finding } from "../../reports/finding.ts";
import { apiOf } from "../api-of.ts";
import type { Context } from "../command-line/command.ts";
import { shellWord } from "../output/shell.ts";

/** Anybody but the owner. */
const OTHERS = 0o077;

/** Folders and files: are they there, whose are they, who may read them. */
export function checkPlaces({ config }: Context): Finding[] {
  return [
    ...config.roots.flatMap(checkRoot),
    ...config.roots.flatMap((root) => checkInside(root, config.location.indexPath)),
    ...checkOurs(config.location),
    ...["auth.json", "settings.json", "models.json"].flatMap((name) =>
      checkSecret(join(config.agentDir, name)),
    ),
  ];
}

/** Archived sessions that are hidden by other files. */
export async function checkArchives(context: Context): Promise<Finding[]> {
  const { coveredSessions } = await import("../../api/archive/archive.ts");
  return coveredSessions(apiOf(context)).map(covered);
}

/** pi has gone on with a session that was open when it was archived: its file begins anew, without a header. */
function covered({ packed, original }: Record<"packed" | "original", string>): Finding {
  const [file, made] = [shellWord(original), shellWord(`${original}.new`)];
  const unpack = packed.endsWith(".gz") ? "zcat" : "zstdcat";
  return {
    level: "warning",
    what: "an archived session is not seen: another file lies in its place",
    where: original,
    remedy: `Where pi has gone on with it, put the two together: ${unpack} ${shellWord(packed)} > ${made} && cat ${file} >> ${made} && mv ${made} ${file}; else move that file away`,
  };
}

function checkRoot(root: string): Finding[] {
  const stats = statsOf(root);
  if (typeof stats === "string") return [unreachable(root, stats)];
  if (!stats.isDirectory()) {
    const remedy = "Name a folder of sessions with --sessions-dir, or fix the configuration";
    return [{ level: "error", what: "the sessions folder is not a folder", where: root, remedy }];
  }
  return [...checkReadable(root), ...checkRemote(root), ...checkOpenToOthers(root, stats)];
}

/** Nothing is taken out of the index because of this: it may come back. */
function unreachable(root: string, code: string): Finding {
  if (code !== "ENOENT") {
    const remedy =
      "Give yourself read permission, or mount it again; until then the index keeps what it has of it";
    return { level: "error", what: `the sessions folder cannot be reached (${code})`, where: root, remedy };
  }
  return {
    level: "warning",
    what: "there is no sessions folder",
    where: root,
    remedy:
      "pi creates it with the first session; if your sessions are elsewhere, name their folder with --sessions-dir",
  };
}

function checkReadable(root: string): Finding[] {
  const names = doneOrCode(() => readdirSync(root));
  return typeof names === "string" ? [unreachable(root, names)] : [];
}

function checkRemote(root: string): Finding[] {
  const kind = remoteKind(statfsSync(root).type);
  if (kind === null) return [];
  return [
    {
      level: "note",
      what: `the sessions are on a file system that does not report changes made by other machines (${kind})`,
      where: root,
      remedy: "Nothing to do: the daemon checks everything every few seconds instead",
    },
  ];
}

/** pi's folders are for pi to change: they are only pointed out. */
function checkOpenToOthers(root: string, stats: Stats): Finding[] {
  if (process.platform === "win32" || (stats.mode & OTHERS) === 0) return [];
  if (foldersAbove(realPathOrNull(root) ?? root).some(isShut)) return [];
  return [
    {
      level: "note",
      what: `the sessions can be read by other users of this machine (mode ${modeOf(stats)})`,
      where: root,
      remedy: `chmod 700 ${shellWord(root)}`,
    },
  ];
}

/** Up to the one that lies in no other. */
export function foldersAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
}

/** A folder that nobody else may enter protects what lies below it. */
function isShut(folder: string): boolean {
  const stats = statsOf(folder);
  return typeof stats !== "string" && (stats.mode & 0o011) === 0;
}

function checkInside(root: string, indexPath: string): Finding[] {
  if (!isWithin(root, indexPath)) return [];
  const remedy =
    "Move it elsewhere with --db, or db in the configuration: each write to it would look like a change of a session";
  return [{ level: "error", what: "the index is inside a sessions folder", where: indexPath, remedy }];
}

/** Only what is ours: where `--db` names a file among others, who may see those and their folder is not looked at. */
function checkOurs(location: Context["config"]["location"]): Finding[] {
  const folder = dirname(location.indexPath);
  const stats = statsOf(folder);
  if (typeof stats === "string") return checkCanBeMade(folder);
  if (!stats.isDirectory()) return [noFolder(folder)];
  const names = unlessUnreadable(() => readdirSync(folder)) ?? [];
  const ours = names.filter((name) => isOurs(name, location)).map((name) => join(folder, name));
  const usable = checkUsable(folder);
  // What keeps us out of a folder keeps us out of all that is in it.
  const inside = usable.length > 0 ? [] : ours.flatMap(checkUsable);
  return [
    ...usable,
    ...inside,
    ...(ours.length === names.length ? [folder, ...ours] : ours).flatMap(checkOpen),
  ];
}

/** The first question makes the folder of the index, with those it lies in. */
function checkCanBeMade(folder: string): Finding[] {
  // It leads to nowhere, as to a disk that is missing.
  if (unlessUnreadable(() => lstatSync(folder))?.isSymbolicLink()) return [noFolder(folder)];
  const parent = dirname(folder);
  if (statsOf(parent) === "ENOENT" && parent !== folder) {
    return checkCanBeMade(parent).map((finding) => ({ ...finding, where: folder }));
  }
  return accessOf(parent, constants.W_OK | constants.X_OK) === null ? [] : [noFolder(folder)];
}

function noFolder(folder: string): Finding {
  const what = "there is no folder for the index, and it cannot be created";
  return { level: "error", what, where: folder, remedy: ELSEWHERE };
}

const ELSEWHERE = "Choose another place with --db FILE, in a folder you can write to";

/** A folder of the index, or a file in it: it has to be ours, and we have to be allowed to write to it. */
function checkUsable(path: string): Finding[] {
  const stats = statsOf(path);
  if (typeof stats === "string") return [];
  const uid = process.geteuid?.();
  if (process.platform !== "win32" && uid !== undefined && stats.uid !== uid) {
    const remedy = "Use an index of your own (--db), or have its owner give it to you (chown)";
    return [{ level: "error", what: "the index belongs to another user", where: path, remedy }];
  }
  const { R_OK, W_OK, X_OK } = constants;
  const code = accessOf(path, R_OK | W_OK | (stats.isDirectory() ? X_OK : 0));
  if (code === null) return [];
  const remedy = code === "EACCES" ? chmodOf(path, stats) : ELSEWHERE;
  return [
    {
      level: "error",
      what: `you have no permission to read and write the index (${code})`,
      where: path,
      remedy,
    },
  ];
}

function checkOpen(path: string): Finding[] {
  const stats = statsOf(path);
  if (process.platform === "win32" || typeof stats === "string" || (stats.mode & OTHERS) === 0) return [];
  const what = `other users have access to what should be private to you (mode ${modeOf(stats)})`;
  return [{ level: "warning", what, where: path, remedy: chmodOf(path, stats) }];
}

function chmodOf(path: string, stats: Stats): string {
  return `chmod ${stats.isDirectory() ? 700 : 600} ${shellWord(path)}`;
}

/** The databases with what SQLite puts beside them, and what the daemon leaves. */
function isOurs(name: string, { indexPath, searchPath }: Context["config"]["location"]): boolean {
  return [basename(indexPath), basename(searchPath), "daemon-", "daemon.log", "damage-lock.db"].some(
    (begin) => name.startsWith(begin),
  );
}

function checkSecret(path: string): Finding[] {
  const stats = statsOf(path);
  if (typeof stats === "string" || process.platform === "win32" || (stats.mode & OTHERS) === 0) return [];
  if (!path.endsWith("auth.json") && (stats.mode & 0o022) === 0) return [];
  const what = `a file of pi that may hold secrets is open to other users (mode ${modeOf(stats)})`;
  return [{ level: "warning", what, where: path, remedy: `chmod 600 ${shellWord(path)}` }];
}

/** The error code where there is nothing to be seen. */
export function statsOf(path: string): Stats | string {
  return doneOrCode(() => statSync(path));
}

/** The error code where something may not be done to a path. */
function accessOf(path: string, mode: number): string | null {
  return doneOrCode(() => accessSync(path, mode)) ?? null;
}

/** What the file system answers, or the code of the error with which it refuses to. */
function doneOrCode<T>(ask: () => T): T | string {
  try {
    return ask();
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return codeOf(error);
  }
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8);
}
