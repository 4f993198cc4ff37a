import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { SessionDbError, unlessUnreadable } from "../errors.ts";
import { APPENDING, type FileMark, writeAtOnce } from "./append.ts";
import { makeFolder } from "./folder.ts";
import { readFully } from "./lines.ts";
import { useFile } from "./open-file.ts";
import { isUnfinishedCopy } from "./session-path.ts";
import { type FileStat, identityOf, sameFile, sameStat, toFileStat } from "./stat.ts";

/**
 * How session files are created and replaced, always as a whole; `append.ts` has the third way in which they change.
 * Nothing else in this program writes to them.
 */

/** Lines are gathered into blocks of this many bytes, each written at once. */
const BLOCK_BYTES = 1024 * 1024;

/**
 * Creates a file that must not exist, and its folder where that is missing. A file that cannot be written
 * completely is removed again.
 *
 * @throws the file system's error (`EEXIST`: the file exists already).
 */
export function createFile(path: string, lines: Iterable<string>): FileMark {
  makeFolder(dirname(path));
  const fd = openSync(path, "wx");
  let created = false;
  try {
    const written = writeLines(fd, lines);
    created = true;
    return { ...identityOf(fstatSync(fd)), ...written };
  } finally {
    closeSync(fd);
    if (!created) rmSync(path);
  }
}

/**
 * Writes the first line of a file that is empty.
 *
 * @throws `busy` when the file is no longer empty, or another file is in its place.
 */
export function fillEmptyFile(path: string, line: string, expected: FileStat): FileMark {
  const fd = openSync(path, APPENDING);
  try {
    const before = fstatSync(fd);
    if (before.size > 0 || !sameFile(identityOf(before), expected)) throw changedMeanwhile(path);
    const written = writeAtOnce(fd, path, line, before);
    return { ...identityOf(before), end: written, whole: crc32(line) };
  } finally {
    closeSync(fd);
  }
}

/**
 * Replaces a file as a whole: the lines are written to a file beside it and flushed to the disk, and then that file is
 * renamed into its place, so that readers see the old file or the new one. Mode and owner stay.
 *
 * @throws `busy` when the file is no longer what `expected` says; the file system's error. Nothing has
 *   changed then.
 */
export function replaceFile(path: string, lines: Iterable<string>, expected: FileStat): FileMark {
  const target = realpathSync(path);
  // Fails for a write-protected file, which a rename would replace all the same.
  closeSync(openSync(target, "r+"));
  const beside = pathOfCopy(target);
  let replaced = false;
  try {
    const mark = writeCopy(beside, lines, statSync(target));
    if (!sameStat(toFileStat(statSync(target)), expected)) throw changedMeanwhile(path);
    renameSync(beside, target);
    replaced = true;
    return mark;
  } finally {
    if (!replaced) rmSync(beside, { force: true });
  }
}

function writeCopy(path: string, lines: Iterable<string>, original: Stats): FileMark {
  const fd = openSync(path, "wx");
  try {
    const own = fstatSync(fd);
    if (own.uid !== original.uid || own.gid !== original.gid) fchownSync(fd, original.uid, original.gid);
    fchmodSync(fd, original.mode & 0o7777);
    const written = writeLines(fd, lines);
    fsyncSync(fd);
    return { ...identityOf(own), ...written };
  } finally {
    closeSync(fd);
  }
}

/**
 * The file in which a migrated session is written, beside the one whose place it takes. A crash leaves it there, with all
 * that was said in the session.
 */
function pathOfCopy(path: string): string {
  return join(dirname(path), `.sessiondb-${randomUUID()}.new`);
}

const HEADER_BYTES = 4096;

/** The copies that crashes have left of a session. */
export function unfinishedCopiesOf({ path, id }: { path: string; id: string }): string[] {
  const named = `"id":${JSON.stringify(id)}`;
  const names = unlessUnreadable(() => readdirSync(dirname(path))) ?? [];
  const copies = names.filter(isUnfinishedCopy).map((name) => join(dirname(path), name));
  return copies.filter((copy) => headOf(copy).includes(named));
}

function headOf(path: string): string {
  const bytes = Buffer.alloc(HEADER_BYTES);
  unlessUnreadable(() => useFile(path, (fd) => readFully(fd, bytes, 0, HEADER_BYTES, 0)));
  return bytes.toString("utf8").split("\n", 1)[0] ?? "";
}

function changedMeanwhile(path: string): SessionDbError {
  const what = `The session file ${path} was changed by another program while it was opened`;
  return new SessionDbError("busy", what, { hint: "It was left as it is. Open it again." });
}

/** Writes lines, and returns how many bytes that were, and their CRC-32. */
function writeLines(fd: number, lines: Iterable<string>): { end: number; whole: number } {
  let [end, whole] = [0, 0];
  let block: string[] = [];
  let length = 0;
  const flush = () => {
    const bytes = Buffer.from(block.join(""));
    end += writeFully(fd, bytes);
    whole = crc32(bytes, whole);
    block = [];
    length = 0;
  };
  for (const line of lines) {
    block.push(line);
    length += line.length;
    if (length >= BLOCK_BYTES) flush();
  }
  flush();
  return { end, whole };
}

export function writeFully(fd: number, bytes: Buffer): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
}
