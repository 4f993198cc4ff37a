/** Reads session files as a whole, as pi does: lines that cannot be understood are left out, nothing is written. */

import { constants } from "node:buffer";
import { existsSync, fstatSync, readFileSync, readSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import { SessionDbError } from "../errors.ts";
import { continueCrc } from "../files/fingerprint.ts";
import { type Line, LineReader, readFully } from "../files/lines.ts";
import { useFile } from "../files/open-file.ts";
import { normalizePath } from "../files/paths.ts";
import { isArrayFileName } from "../files/session-path.ts";
import { type FileStat, toFileStat } from "../files/stat.ts";
import { parseEntryLine, parseJson, uncheckedEntry } from "../format/parse.ts";
import type { FileEntry } from "../format/types.ts";
import { formatBytes } from "../text/numbers.ts";

/** The content of a session file when it was read. */
export interface LoadedFile {
  /** The header and the entries after it, in file order; none when the file is not a session. */
  entries: FileEntry[];
  /** Taken before the first byte was read. */
  stat: FileStat;
  /** Bytes up to the end of the last complete line. */
  end: number;
  /** CRC-32 of these bytes. */
  whole: number;
  /**
   * `array`: one JSON array in a `.json` file, which cannot be appended to. `special`: a FIFO, a socket or a
   * device, which is not read.
   */
  form: "lines" | "array" | "special";
  /** The place of each entry in an array, counted from 1. */
  places?: ReadonlyMap<unknown, number>;
}

/** The entries of a session file; none when the file is missing or is not a session. */
export function loadEntriesFromFile(filePath: string): FileEntry[] {
  const path = normalizePath(filePath);
  return existsSync(path) ? loadSessionFile(path).entries : [];
}

/** @throws the file system's error: `ENOENT`, `EACCES`, `EISDIR`, ... */
export function loadSessionFile(path: string): LoadedFile {
  return useFile(path, (fd) => loadOpenFile(path, fd));
}

function loadOpenFile(path: string, fd: number): LoadedFile {
  const stats = fstatSync(fd);
  const stat = toFileStat(stats);
  // Reading a folder fails with EISDIR, which says more than any message of this program.
  if (stats.isDirectory()) readSync(fd, Buffer.alloc(1));
  if (!stats.isFile()) return { entries: [], stat, end: 0, whole: 0, form: "special" };
  if (isArrayFileName(path)) assertHolds(path, { offset: 0, length: stat.size });
  // An array may be written with one entry on each line, so it is tried before lines are.
  const elements = isArrayFileName(path) ? arrayElements(fd) : [];
  const inArray = elements.filter(Boolean).map(uncheckedEntry);
  if (isSession(inArray)) {
    const places = new Map(elements.map((each, at) => [each, at + 1]));
    return { entries: inArray, stat, end: 0, whole: 0, form: "array", places };
  }
  // Its texts may take twice the bytes in memory, and Node ends the process that has no more of it.
  if (stat.size > getHeapStatistics().heap_size_limit / 2) throw tooLarge(path, stat.size);
  const { entries, end } = entriesBetween(path, fd, { from: 0, to: stat.size });
  const whole = continueCrc(fd, 0, end, 0);
  return { entries: isSession(entries) ? entries : [], stat, end, whole, form: "lines" };
}

function isSession(entries: readonly FileEntry[]): boolean {
  const [header] = entries;
  return header !== undefined && header.type === "session" && typeof header.id === "string";
}

/** The entries between two offsets, and where the last complete line ends. `from` must be the beginning of a line. */
export function entriesBetween(
  path: string,
  fd: number,
  { from, to }: { from: number; to: number },
): { entries: FileEntry[]; end: number } {
  const all: FileEntry[] = [];
  let end = from;
  for (const step of readInSteps(path, fd, { size: to, from })) {
    for (const entry of step.entries) all.push(entry);
    end = step.end;
  }
  return { entries: all, end };
}

/** The entries of some whole lines, and where the last of them ends; an unfinished last line is tried, too. */
export function* readInSteps(
  path: string,
  fd: number,
  {
    size,
    from = 0,
    reader = new LineReader(),
  }: { size: number; from?: number; reader?: LineReader | undefined },
): Generator<{ entries: FileEntry[]; end: number }> {
  let end = from;
  while (end < size) {
    const step = reader.readStep(fd, end, size);
    // No line at all: then it is the last one, unfinished, and too long for the reader.
    const texts = step.lines.length > 0 ? step.lines : [{ offset: end, length: size - end, bytes: null }];
    const entries = texts
      .map((line) => line.bytes ?? readLongLine(path, fd, line))
      .map((bytes) => parseEntryLine(bytes.toString("utf8")))
      .filter((entry) => entry !== null);
    const atEnd = step.end === end || step.lines.at(-1)?.complete !== true;
    end = step.end;
    yield { entries, end };
    if (atEnd) return;
  }
}

function readLongLine(path: string, fd: number, { offset, length }: Pick<Line, "offset" | "length">): Buffer {
  assertHolds(path, { offset, length });
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readFully(fd, bytes, 0, length, offset));
}

/** @throws SessionDbError `io` for what is longer than a text of JavaScript may be */
export function assertHolds(path: string, { offset, length }: Pick<Line, "offset" | "length">): void {
  if (length <= constants.MAX_STRING_LENGTH) return;
  throw new SessionDbError(
    "io",
    `The line at byte ${offset} of ${path} is too long to be read: ${formatBytes(length)}`,
    {
      hint: `No text may be longer than ${formatBytes(constants.MAX_STRING_LENGTH)}. The other lines are in the index: sessiondb show and search read them.`,
    },
  );
}

function tooLarge(path: string, size: number): SessionDbError {
  return new SessionDbError(
    "io",
    `${path} holds ${formatBytes(size)}, more than this process has memory for`,
    {
      hint: "After sessiondb sync it is read through the index, which takes no memory. Or start Node with --max-old-space-size.",
    },
  );
}

/** The elements of a file that is one JSON array, as some writers keep a session; none for any other file. */
function arrayElements(fd: number): unknown[] {
  const value = parseJson(readFileSync(fd, "utf8"));
  return Array.isArray(value) ? value : [];
}
