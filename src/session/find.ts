/** Finds one session in a folder by reading headers only. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { normalizePath, resolvePath } from "../file/paths.ts";
import { unlessUnreadable } from "../file/unreadable.ts";
import type { SessionHeader } from "../format/types.ts";
import { headerCwd, isSessionOf, readSessionHeader } from "./header.ts";

/**
 * The session file in a folder that was written to last; with `cwd`, only of that working directory. Null when there is
 * none or the folder cannot be read. Anything but a regular file (a dangling link, a FIFO) is passed over: in pi one
 * such name hides all the others, or is waited for without end.
 */
export function findMostRecentSession(sessionDir: string, cwd?: string): string | null {
  const resolvedCwd = cwd ? resolvePath(cwd) : undefined;
  const newestFirst = sessionPaths(normalizePath(sessionDir))
    .map((path) => ({ path, stats: unlessUnreadable(() => statSync(path)) }))
    .flatMap(({ path, stats }) => (stats?.isFile() ? [{ path, mtimeMs: stats.mtimeMs }] : []))
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  return newestFirst.find(({ path }) => matches(path, () => true, resolvedCwd))?.path ?? null;
}

/** The file in a folder whose header has exactly this id and, if given, this working directory. */
export function findSessionById(dir: string, id: string, resolvedCwd?: string): string | undefined {
  return sessionPaths(dir).find((path) => matches(path, (header) => header.id === id, resolvedCwd));
}

function sessionPaths(dir: string): string[] {
  return sessionNames(dir).map((name) => join(dir, name));
}

/** The names of the session files in a folder; none when there is no such folder or it cannot be read. */
export function sessionNames(dir: string): string[] {
  const names = unlessUnreadable(() => readdirSync(dir)) ?? [];
  return names.filter((name) => name.endsWith(".jsonl"));
}

function matches(
  path: string,
  isWanted: (header: SessionHeader) => boolean,
  resolvedCwd: string | undefined,
): boolean {
  const header = unlessUnreadable(() => readSessionHeader(path)) ?? null;
  if (header === null || !isWanted(header)) return false;
  return resolvedCwd === undefined || isSessionOf(resolvedCwd, headerCwd(header));
}
