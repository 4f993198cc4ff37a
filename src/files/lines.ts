import { readSync } from "node:fs";
import type { Opened } from "./packed-file.ts";

/** How many bytes one read asks for; also the size of one indexing step. */
export const STEP_BYTES = 4 * 1024 * 1024;
/** The most lines in a step: each takes some 230 bytes of memory, and a file may have as many lines as bytes. */
export const MOST_LINES = 20_000;
/** How many bytes a step looks through without indexing any: tens of ms from memory, a few hundred ms from a disk. */
export const LOOK_BYTES = 32 * 1024 * 1024;
/** In bytes. Of a longer line only the first bytes are decoded. */
export const LONGEST_LINE = 64 * 1024 * 1024;

/** The most bytes to be read for the longest line that is decoded: with its `\r\n`. */
export const LONGEST_WITH_END = LONGEST_LINE + 2;

/** Whether a line with so many bytes, without its terminator, is too long to be decoded. */
export function isTooLong({ length }: { length: number }): boolean {
  return length > LONGEST_LINE;
}

/** How many bytes are read of a line too long to be decoded. */
const HEAD_BYTES = 4096;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** One line of a file. */
export interface Line {
  /** Bytes from the file's beginning. */
  offset: number;
  /** Bytes without the terminator (`\n` or `\r\n`). */
  length: number;
  /** Where the next line begins. */
  end: number;
  /** The line without its terminator, valid until the reader's next step; null for a line too long to decode. */
  bytes: Buffer | null;
  /** Of a line too long to decode: its first bytes. */
  head?: Buffer;
  /** False for the file's last line while its `\n` is missing. */
  complete: boolean;
  /** 1-based; absent where it is one more than that of the line before. */
  number?: number;
  /** Of an element of an array: its place among all of them, from 1. */
  place?: number;
}

/** A stretch of whole lines, read in one go. */
export interface Step {
  lines: Line[];
  /** Offset after the last complete line. */
  end: number;
  /** The bytes from the step's beginning on, unfinished line included; null when a line was too long to hold. */
  bytes: Buffer | null;
  /** Whether nothing is left to be read. */
  atEnd: boolean;
}

/**
 * Reads a file in steps of whole lines, by byte offset, in memory bounded by the longest line.
 * Lines are split at byte 0x0A before anything is decoded. The buffer is reused from step to step.
 */
export class LineReader {
  #kept: Buffer | null = null;
  /** For lines longer than that. One for each would be memory that is not collected in time. */
  #keptForLong: Buffer | null = null;

  get #buffer(): Buffer {
    this.#kept ??= Buffer.allocUnsafe(STEP_BYTES + 64 * 1024);
    return this.#kept;
  }

  /** Lets go of its buffers; the next step makes another one. */
  release(): void {
    this.#kept = null;
    this.#keptForLong = null;
  }

  /**
   * Reads whole lines from `from` on, about `STEP_BYTES` or `MOST_LINES` of them but at least one, never beyond `size`.
   * When the step reaches `size`, the unfinished last line, if any, is given as well.
   */
  readStep(fd: Opened, from: number, size: number): Step {
    const step = this.readDecodableStep(fd, from, size);
    return step ?? longLineStep(fd, { from, newline: findNewline(fd, from + LONGEST_LINE, size), size });
  }

  /** `readStep`, but null when the line at `from` is too long to be decoded: finding its end may take long. */
  readDecodableStep(fd: Opened, from: number, size: number): Step | null {
    return this.#readShortStep(fd, from, size) ?? this.#readLongLine(fd, from, size);
  }

  /** Null when the line at `from` is longer than the buffer. */
  #readShortStep(fd: Opened, from: number, size: number): Step | null {
    const buffer = this.#buffer;
    const filled = readFully(fd, buffer, 0, Math.min(buffer.length, size - from), from);
    const bytes = buffer.subarray(0, filled);
    const atEnd = from + filled >= size;
    const isLonger = !atEnd && filled > 0 && bytes.lastIndexOf(NEWLINE) < 0;
    return isLonger ? null : splitLines(bytes, from, atEnd);
  }

  /** The step of the line at `from`; null when it is too long to be decoded. */
  #readLongLine(fd: Opened, from: number, size: number): Step | null {
    const newline = findNewline(fd, from, Math.min(size, from + LONGEST_WITH_END));
    const end = newline < 0 ? size : newline + 1;
    const length = end - from;
    if (length > LONGEST_WITH_END) return null;
    // Of a buffer for the longest line, only what is filled takes memory.
    this.#keptForLong ??= Buffer.allocUnsafe(LONGEST_WITH_END);
    const filled = readFully(fd, this.#keptForLong, 0, length, from);
    const step = splitLines(this.#keptForLong.subarray(0, filled), from, end >= size);
    return step.lines.some(isTooLong) ? null : step;
  }
}

/**
 * The step of a line that is too long to be decoded. `newline` is the offset of its `\n`, or -1 when there is none
 * before `size`.
 */
export function longLineStep(
  fd: Opened,
  { from, newline, size }: { from: number; newline: number; size: number },
): Step {
  if (newline < 0) return { lines: [], end: from, bytes: null, atEnd: true };
  const end = newline + 1;
  const stop = byteAt(fd, newline - 1) === CARRIAGE_RETURN ? newline - 1 : newline;
  const head = Buffer.alloc(HEAD_BYTES);
  readFully(fd, head, 0, head.length, from);
  const line = { offset: from, length: stop - from, end, bytes: null, head, complete: true };
  return { lines: [line], end, bytes: null, atEnd: end >= size };
}

function splitLines(bytes: Buffer, base: number, atEnd: boolean): Step {
  const lines: Line[] = [];
  let start = 0;
  for (let newline = bytes.indexOf(NEWLINE); newline >= 0; newline = bytes.indexOf(NEWLINE, start)) {
    lines.push(lineOf(bytes, base, start, newline, true));
    start = newline + 1;
    if (lines.length === MOST_LINES && start < bytes.length) {
      return { lines, end: base + start, bytes: bytes.subarray(0, start), atEnd: false };
    }
  }
  if (atEnd && start < bytes.length) lines.push(lineOf(bytes, base, start, bytes.length, false));
  return { lines, end: base + start, bytes, atEnd };
}

function lineOf(bytes: Buffer, base: number, start: number, end: number, complete: boolean): Line {
  const stop = end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  return {
    offset: base + start,
    length: stop - start,
    end: base + (complete ? end + 1 : end),
    bytes: bytes.subarray(start, stop),
    complete,
  };
}

function byteAt(fd: Opened, position: number): number | undefined {
  const byte = Buffer.alloc(1);
  return readFully(fd, byte, 0, 1, position) === 1 ? byte[0] : undefined;
}

/** Offset of the first newline at or after `from`, or -1. */
export function findNewline(fd: Opened, from: number, size: number): number {
  const window = Buffer.allocUnsafe(1024 * 1024);
  for (let at = from; at < size; ) {
    const filled = readFully(fd, window, 0, Math.min(window.length, size - at), at);
    if (filled === 0) return -1;
    const newline = window.subarray(0, filled).indexOf(NEWLINE);
    if (newline >= 0) return at + newline;
    at += filled;
  }
  return -1;
}

/**
 * Reads until `length` bytes are there or the file ends; returns how many there are. Of a packed file the places, and the
 * bytes, are those of the session file.
 */
export function readFully(fd: Opened, buffer: Buffer, at: number, length: number, position: number): number {
  if (typeof fd !== "number") return fd.read(buffer, at, length, position);
  let done = 0;
  while (done < length) {
    const read = readSync(fd, buffer, at + done, length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}
