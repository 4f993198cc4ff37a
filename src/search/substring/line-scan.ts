import { isSystemError } from "../../errors.ts";
import { findNewline, LONGEST_LINE, LONGEST_WITH_END, readFully, STEP_BYTES } from "../../files/lines.ts";
import { closeFile, openRegularFile } from "../../files/open-file.ts";
import type { Opened } from "../../files/packed-file.ts";
import { statOpenFile } from "../../files/stat.ts";

/** A line that a `Finder` has found. */
export interface ScannedLine {
  /** Bytes from the file's beginning. */
  offset: number;
  /** Without the newline; valid until the next line is asked for. */
  bytes: Buffer;
}

/**
 * Finds in the bytes it was made for the next place, from an offset on, whose line should be looked at; -1 when there
 * is none.
 */
export type Finder = (from: number) => number;

const NEWLINE = 0x0a;

/** Looks through files for lines in which a `Finder` finds something; the others are neither split nor decoded. */
export class LineScanner {
  #buffer = Buffer.alloc(0);

  /** The lines of a file; none if it cannot be read. `finderIn` is called for each stretch of whole lines. */
  *lines(path: string, finderIn: (bytes: Buffer) => Finder): Generator<ScannedLine> {
    const fd = openOrNull(path);
    if (fd === null) return;
    try {
      const { size } = statOpenFile(fd);
      for (let from = 0; from < size; ) {
        const bytes = this.#readLines(fd, from, size);
        if (bytes === null) {
          const newline = findNewline(fd, from + LONGEST_LINE, size);
          if (newline < 0) return;
          from = newline + 1;
          continue;
        }
        if (bytes.length === 0) return;
        yield* foundIn(bytes, from, finderIn(bytes));
        from += bytes.length;
      }
    } finally {
      closeFile(fd);
    }
  }

  /**
   * Whole lines from `from` on, about `STEP_BYTES`; the last one of the file may lack its newline. Null when the first
   * is too long to be decoded.
   */
  #readLines(fd: Opened, from: number, size: number): Buffer | null {
    for (let length = STEP_BYTES; length <= LONGEST_LINE; length *= 4) {
      const wanted = Math.min(length === LONGEST_LINE ? LONGEST_WITH_END : length, size - from);
      if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafe(wanted);
      const bytes = this.#buffer.subarray(0, readFully(fd, this.#buffer, 0, wanted, from));
      const end = from + bytes.length >= size ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
      if (end > 0 || bytes.length < wanted) return bytes.subarray(0, end || bytes.length);
    }
    return null;
  }
}

function* foundIn(bytes: Buffer, base: number, find: Finder): Generator<ScannedLine> {
  for (let at = find(0); at >= 0; ) {
    const start = at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1;
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    yield { offset: base + start, bytes: bytes.subarray(start, end) };
    at = end < bytes.length ? find(end + 1) : -1;
  }
}

function openOrNull(path: string): Opened | null {
  try {
    return openRegularFile(path);
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}
