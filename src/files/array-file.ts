import { isTooLong, readFully, type Step } from "./lines.ts";
import type { Opened } from "./packed-file.ts";

/**
 * Reads an array file as if each element were a line of its own: each is a byte range of the file, which is a JSON
 * text by itself. No lines when the file holds no complete array, or one too long to decode.
 */
export function readArrayStep(fd: Opened, size: number): Step {
  const bytes = Buffer.allocUnsafe(isTooLong({ length: size }) ? 0 : size);
  const filled = readFully(fd, bytes, 0, bytes.length, 0);
  const ranges = filled === size ? elementRanges(bytes) : null;
  if (ranges === null) return { lines: [], end: 0, bytes, atEnd: true };
  const numbers = new LineNumbers(bytes);
  const lines = ranges.map(([start, end], i) => ({
    offset: start,
    length: end - start,
    end: ranges[i + 1]?.[0] ?? size,
    bytes: bytes.subarray(start, end),
    complete: true,
    number: numbers.at(start),
    place: i + 1,
  }));
  return { lines, end: lines.length > 0 ? size : 0, bytes, atEnd: true };
}

const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Where the elements of a JSON array begin and end; null for bytes that are not an array from the first to the last.
 */
function elementRanges(bytes: Buffer): [start: number, end: number][] | null {
  const [first, last] = [firstByte(bytes), lastByte(bytes)];
  if (bytes[first] !== 0x5b || bytes[last] !== 0x5d) return null;
  const ranges: [number, number][] = [];
  let start = first + 1;
  for (let at = start, depth = 0; at <= last; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte) && at < last) depth--;
    else if ((byte === COMMA && depth === 0) || at === last) {
      if (depth !== 0) return null;
      const range = trimmed(bytes, start, at);
      if (range[0] < range[1]) ranges.push(range);
      if (at === last) return ranges;
      start = at + 1;
    }
  }
  // The last byte is within a string: the file was cut off there.
  return null;
}

/** The closing quote of the string that opens at `open`, or the end where there is none. */
function stringEnd(bytes: Buffer, open: number): number {
  let at = open + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function trimmed(bytes: Buffer, from: number, to: number): [number, number] {
  let start = from;
  let end = to;
  while (start < end && SPACE.has(bytes[start] ?? 0)) start++;
  while (end > start && SPACE.has(bytes[end - 1] ?? 0)) end--;
  return [start, end];
}

function firstByte(bytes: Buffer): number {
  return trimmed(bytes, 0, bytes.length)[0];
}

function lastByte(bytes: Buffer): number {
  return trimmed(bytes, 0, bytes.length)[1] - 1;
}

/** The line numbers of offsets, which must be asked for in rising order. */
class LineNumbers {
  readonly #bytes: Buffer;
  #counted = 0;
  #number = 1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  at(offset: number): number {
    for (; this.#counted < offset; this.#counted++) if (this.#bytes[this.#counted] === 0x0a) this.#number++;
    return this.#number;
  }
}
