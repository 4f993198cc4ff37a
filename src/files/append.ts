import { constants, fstatSync, ftruncateSync, readSync, type Stats, statSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { codeOf, SessionDbError } from "../errors.ts";
import { continueCrc } from "./fingerprint.ts";
import { CachedHandle, closeWith, sessionFileReplaced } from "./handle-cache.ts";
import { readFully } from "./lines.ts";
import {
  type FileIdentity,
  type FileStat,
  identityOf,
  sameFile,
  sameStat,
  statOpenFile,
  toFileStat,
} from "./stat.ts";

/** How a line is appended to a session file; see `write-file.ts` for files that are written as a whole. */

/** A file as its writer last saw it. */
export interface FileMark extends FileIdentity {
  /** Bytes up to the end of the last complete line seen: the file may be longer, never shorter. */
  end: number;
  /** CRC-32 of these bytes: one who rewrites the file in place is found by it. Absent: they were never read. */
  whole?: number;
  /** The file's stat with these bytes, where any later write changes it. */
  stat?: FileStat;
}

/** Two writes within this time may leave one time of change. In ms. */
const SAME_TIME = 100;

/** The mark of a file that was read or written up to `end`. */
export function markOfRead(stat: FileStat, end: number, whole: number): FileMark {
  const { device, inode, bornAt } = stat;
  const mark = { device, inode, bornAt, end, whole };
  return Date.now() - Math.max(stat.mtimeMs, stat.ctimeMs) > SAME_TIME ? { ...mark, stat } : mark;
}

/** Bytes at the end of what was written last that are compared before each line. */
const LAST_BYTES = 4096;

const NEWLINE = 0x0a;
export const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_NONBLOCK;

/**
 * Appends lines to one file, which it keeps open between them.
 *
 * Before each line one look at the path makes sure that it still leads to the file that is open; a descriptor alone
 * would go on writing to a file that was deleted or replaced.
 */
export class Appender {
  readonly #path: string;
  readonly #file: CachedHandle;
  #mark: FileMark;
  /** The end of what was written last. */
  #last: Buffer = Buffer.alloc(0);

  constructor(path: string, mark: FileMark) {
    this.#path = path;
    this.#mark = mark;
    this.#file = new CachedHandle(path, mark, APPENDING);
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
   * When the write fails, the file is cut back to what it was, unless somebody else has appended meanwhile. Where the
   * file has changed without this writer, all bytes before its mark are compared first.
   *
   * @throws the file system's error (`ENOENT`: the file is gone); `io` when another file stands at the path,
   *   when the file has become shorter or was rewritten, or when only a part could be written.
   */
  append(line: string): void {
    const before = statSync(this.#path);
    checkSameFile(this.#path, before, this.#mark);
    const { fd } = this.#file;
    this.#checkContent(fd, before);
    // A file that still ends where its last complete line ended needs no look at its last byte.
    const isWhole = before.size === this.#mark.end || endsInNewline(fd, before.size);
    const text = isWhole ? line : `\n${line}`;
    const whole = this.#wholeUpTo(fd, before.size);
    const end = before.size + writeAtOnce(fd, this.#path, text, before);
    // Spread last: in Node 20 a property added after a spread takes half as long as the write.
    this.#mark = { end, ...identityOf(before) };
    if (whole === undefined) return;
    const stat = statOpenFile(fd);
    const isLast = stat.size === end;
    // Where others have appended at the same moment, the line may stand behind theirs: what was there before it is known.
    this.#last = isLast ? Buffer.from(text).subarray(-LAST_BYTES) : Buffer.alloc(0);
    if (isLast) Object.assign(this.#mark, { whole: crc32(text, whole), stat });
    else Object.assign(this.#mark, { end: before.size, whole });
  }

  /** The sum continued over what others have appended. */
  #wholeUpTo(fd: number, size: number): number | undefined {
    const { whole, end } = this.#mark;
    return whole === undefined || size === end ? whole : continueCrc(fd, end, size, whole);
  }

  /** The time of a change does not tell two of the same moment apart, so the last bytes are looked at always. */
  #checkContent(fd: number, before: Stats): void {
    const { whole, stat, end } = this.#mark;
    if (whole === undefined) return;
    if (stat !== undefined && sameStat(stat, toFileStat(before)) && this.#endsAsWritten(fd)) return;
    if (continueCrc(fd, 0, end, 0) === whole) return;
    throw new SessionDbError("io", `The session file ${this.#path} was rewritten by another program`, {
      hint: "Nothing was written. Open the session again to continue from what the file holds now.",
    });
  }

  #endsAsWritten(fd: number): boolean {
    const found = Buffer.alloc(this.#last.length);
    readFully(fd, found, 0, found.length, this.#mark.end - found.length);
    return found.equals(this.#last);
  }

  close(): void {
    this.#file.close();
  }
}

function checkSameFile(path: string, found: Stats, known: FileMark): void {
  if (!found.isFile() || !sameFile(identityOf(found), known)) throw sessionFileReplaced(path);
  if (found.size === 0 || found.size < known.end) {
    throw new SessionDbError("io", `The session file ${path} has become shorter than it was`, {
      hint: "Nothing was written. Open the session again to continue from what the file holds now.",
    });
  }
}

function endsInNewline(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE;
}

/** Writes a text in one call and returns its length in bytes. A part that was written alone is cut off again. */
export function writeAtOnce(fd: number, path: string, text: string, before: Stats): number {
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

/** Removes the part of a line just written; false when another has written after it, or it cannot be removed. */
function cutBack(fd: number, path: string, before: Stats, written: number): boolean {
  const now = fstatSync(fd);
  const atPath = statSync(path, { throwIfNoEntry: false });
  const isAtPath = atPath !== undefined && sameFile(identityOf(atPath), identityOf(before));
  if (now.size !== before.size + written || !isAtPath) return false;
  try {
    ftruncateSync(fd, before.size);
    return true;
  } catch (error) {
    // Windows does not truncate through a descriptor that appends.
    if (codeOf(error) === "EPERM") return false;
    throw error;
  }
}
