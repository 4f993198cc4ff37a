/** Reads the headers of session files without their transcripts, and finds sessions by them. */
import { fstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { unlessUnreadable } from "../errors.ts";
import { readFully } from "../files/lines.ts";
import { useFile } from "../files/open-file.ts";
import { normalizePath, pathsEqual, resolvePath } from "../files/paths.ts";
import { parseEntryLine } from "../format/parse.ts";
import type { SessionHeader } from "../format/types.ts";

/** How many bytes of a file are searched for its header; pi gives up there, too. */
const SEARCHED_BYTES = 1024 * 1024;
const FIRST_READ_BYTES = 4096;
const NEWLINE = 0x0a;

/**
 * The header a file begins with; null when it begins with another entry, has no header in its first MiB, or
 * is not a regular file.
 *
 * @throws the file system's error.
 */
function readSessionHeader(path: string): SessionHeader | null {
  return useFile(path, (fd) => (fstatSync(fd).isFile() ? headerOfOpenFile(fd) : null));
}

/** `readSessionHeader` of a file that is open. */
export function headerOfOpenFile(fd: number): SessionHeader | null {
  let bytes = Buffer.alloc(FIRST_READ_BYTES);
  let filled = 0;
  let lineStart = 0;
  for (;;) {
    filled += readFully(fd, bytes, filled, bytes.length - filled, filled);
    const searched = bytes.subarray(0, Math.min(filled, SEARCHED_BYTES));
    for (
      let end = searched.indexOf(NEWLINE, lineStart);
      end >= 0;
      end = searched.indexOf(NEWLINE, lineStart)
    ) {
      const header = headerIn(searched.subarray(lineStart, end));
      if (header !== undefined) return header;
      lineStart = end + 1;
    }
    if (filled < bytes.length) return headerIn(searched.subarray(lineStart)) ?? null;
    if (filled > SEARCHED_BYTES) return null;
    bytes = grown(bytes);
  }
}

/**
 * The header in a line; null for another entry; undefined for a line to be passed over, so the next may be the header.
 */
function headerIn(line: Buffer): SessionHeader | null | undefined {
  const entry = parseEntryLine(line.toString("utf8"));
  if (entry === null) return undefined;
  return entry.type === "session" && typeof entry.id === "string" ? entry : null;
}

/** A larger buffer, at most one byte more than is searched: that byte shows whether a file goes on after them. */
function grown(bytes: Buffer): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(Math.min(bytes.length * 8, SEARCHED_BYTES + 1));
  bytes.copy(larger);
  return larger;
}

/** The working directory a header states; undefined for anything but a string. */
export function headerCwd(header: SessionHeader): string | undefined {
  const cwd: unknown = header.cwd;
  return typeof cwd === "string" ? cwd : undefined;
}

/** @param resolvedCwd absolute. A session that states no working directory matches none. */
export function isSessionOf(resolvedCwd: string, cwd: string | undefined): boolean {
  return cwd !== undefined && cwd !== "" && pathsEqual(resolvePath(cwd), resolvedCwd);
}

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
