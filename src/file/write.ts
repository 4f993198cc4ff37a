/**
 * The three ways a session file changes: a line appended, a file created, a file replaced as a whole.
 * Nothing else of ours writes to one.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, SessionDbError } from "../errors.ts";
import { closeWith, KeptFile, replaced } from "./kept-file.ts";
import { type FileStat, sameFile, sameStat, toFileStat } from "./stat.ts";

/** A file as its writer last saw it. */
export interface FileMark {
  device: number;
  inode: number;
  /** Bytes up to the end of the last complete line seen: the file may be longer, never shorter. */
  end: number;
}

const NEWLINE = 0x0a;
/** Bytes gathered before a file that is written as a whole is written to. */
const BLOCK_BYTES = 1024 * 1024;
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_NONBLOCK;

/**
 * Appends lines to one file, which it keeps open between them.
 *
 * Before each line one look at the path makes sure that it still leads to the file we know; a descriptor alone
 * would go on writing to a file that was deleted or replaced.
 */
export class Appender {
  readonly #path: string;
  readonly #file: KeptFile;
  #mark: FileMark;

  constructor(path: string, mark: FileMark) {
    this.#path = path;
    this.#mark = mark;
    this.#file = new KeptFile(path, mark, APPENDING);
    closeWith(this, this.#file);
  }

  /** The file as it is after the last line that was appended. */
  get mark(): FileMark {
    return this.#mark;
  }

  /**
   * Appends a line, given with its `\n`, in one write. If the file does not end in a newline (torn by a crash
   * or by a full disk), the same write begins with one, so that the torn line does not swallow this one.
   *
   * When the write fails, the file is cut back to what it was, unless somebody else has appended meanwhile.
   *
   * @throws the file system's error (`ENOENT`: the file is gone); `io` when another file stands at the path,
   *   when the file has become shorter, or when only a part could be written.
   */
  append(line: string): void {
    const before = statSync(this.#path);
    checkSameFile(this.#path, before, this.#mark);
    const { fd } = this.#file;
    // A file that ends where its last line was seen to end needs no look at its last byte.
    const isWhole = before.size === this.#mark.end || endsInNewline(fd, before.size);
    const written = writeAtOnce(fd, this.#path, isWhole ? line : `\n${line}`, before);
    this.#mark = { device: before.dev, inode: before.ino, end: before.size + written };
  }

  close(): void {
    this.#file.close();
  }
}

/** Appends one line, as an `Appender` does. */
export function appendLine(path: string, line: string, known: FileMark): FileMark {
  const appender = new Appender(path, known);
  try {
    appender.append(line);
    return appender.mark;
  } finally {
    appender.close();
  }
}

/**
 * Creates a file that must not exist, and its folder where that is missing. A file that cannot be written
 * completely is removed again.
 *
 * @throws the file system's error (`EEXIST`: there is one already).
 */
export function createFile(path: string, lines: Iterable<string>): FileMark {
  mkdirSync(dirname(path), { recursive: true });
  const fd = openSync(path, "wx");
  let created = false;
  try {
    const end = writeLines(fd, lines);
    created = true;
    return { ...identityOf(fstatSync(fd)), end };
  } finally {
    closeSync(fd);
    if (!created) rmSync(path);
  }
}

/**
 * Writes the first line of a file that is empty.
 *
 * @throws `busy` when it is empty no longer, or another file.
 */
export function fillEmptyFile(path: string, line: string, expected: FileStat): FileMark {
  const fd = openSync(path, APPENDING);
  try {
    const before = fstatSync(fd);
    if (before.size > 0 || !sameFile(toFileStat(before), expected)) throw changedMeanwhile(path);
    const written = writeAtOnce(fd, path, line, before);
    return { ...identityOf(before), end: written };
  } finally {
    closeSync(fd);
  }
}

/**
 * Replaces a file as a whole: the lines go to a file beside it, to the disk, and then by rename into its
 * place, so that whoever looks sees the old file or the new one. Mode and owner stay.
 *
 * @throws `busy` when the file is no longer what `expected` says; the file system's error. Nothing has
 *   changed then.
 */
export function replaceFile(path: string, lines: Iterable<string>, expected: FileStat): FileMark {
  const target = realpathSync(path);
  const beside = join(dirname(target), `.${basename(target)}.${randomUUID().slice(0, 8)}.new`);
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
    const end = writeLines(fd, lines);
    fsyncSync(fd);
    return { ...identityOf(own), end };
  } finally {
    closeSync(fd);
  }
}

function identityOf(stats: Stats): Pick<FileMark, "device" | "inode"> {
  return { device: stats.dev, inode: stats.ino };
}

function checkSameFile(path: string, found: Stats, known: FileMark): void {
  if (!found.isFile() || found.dev !== known.device || found.ino !== known.inode) {
    throw replaced(path);
  }
  if (found.size === 0 || found.size < known.end) {
    throw new SessionDbError("io", `The session file ${path} has become shorter than it was`, {
      hint: "Nothing was written. Open the session again to continue from what the file holds now.",
    });
  }
}

function changedMeanwhile(path: string): SessionDbError {
  return new SessionDbError(
    "busy",
    `The session file ${path} was changed by another program while it was opened`,
    {
      hint: "It was left as it is. Open it again.",
    },
  );
}

function endsInNewline(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE;
}

/** Returns how many bytes the text has. */
function writeAtOnce(fd: number, path: string, text: string, before: Stats): number {
  const length = Buffer.byteLength(text);
  const written = writeSync(fd, text);
  if (written === length) return written;
  const cut = cutBack(fd, path, before, written);
  throw new SessionDbError("io", `Only ${written} of ${length} bytes could be written to ${path}`, {
    hint: cut
      ? "The file is as it was. Is the disk full?"
      : "The next entry starts on a line of its own. Is the disk full?",
  });
}

/** Removes the part of a line just written; false when somebody else has written behind it. */
function cutBack(fd: number, path: string, before: Stats, written: number): boolean {
  const now = fstatSync(fd);
  const atPath = statSync(path, { throwIfNoEntry: false });
  if (now.size !== before.size + written || atPath?.ino !== before.ino || atPath.dev !== before.dev)
    return false;
  try {
    ftruncateSync(fd, before.size);
    return true;
  } catch (error) {
    // Windows grants no truncation through a descriptor that appends.
    if (codeOf(error) === "EPERM") return false;
    throw error;
  }
}

/** Returns how many bytes were written. */
function writeLines(fd: number, lines: Iterable<string>): number {
  let total = 0;
  let block: string[] = [];
  let length = 0;
  for (const line of lines) {
    block.push(line);
    length += line.length;
    if (length < BLOCK_BYTES) continue;
    total += writeFully(fd, Buffer.from(block.join("")));
    block = [];
    length = 0;
  }
  return total + writeFully(fd, Buffer.from(block.join("")));
}

function writeFully(fd: number, bytes: Buffer): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
}
