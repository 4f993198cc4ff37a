import { readFully } from "./lines.ts";
import { openAtOnce, useRegularFile } from "./open-file.ts";

/** The bytes of a range of a file; null when they cannot be read. */
export function readRange(path: string, offset: number, length: number): Buffer | null {
  return readInto(Buffer.allocUnsafe(length), { path, offset, length });
}

/** Making a buffer takes longer than reading a few kilobytes into it, so one is kept for the next range. */
const SPARE_BYTES = 256 * 1024;
let spare: Buffer | null = null;

/**
 * Reads a range whose bytes are valid only while `use` runs: the buffer is used again. `use` has to check that they are
 * the ones it expects.
 */
export function useRange<T>(range: FileRange, use: (bytes: Buffer) => T): T | null {
  const buffer = range.length > SPARE_BYTES ? Buffer.allocUnsafe(range.length) : takeSpare();
  try {
    const bytes = readInto(buffer, range);
    return bytes === null ? null : use(bytes);
  } finally {
    if (buffer.length === SPARE_BYTES) spare = buffer;
  }
}

export interface FileRange {
  path: string;
  offset: number;
  /** Bytes. */
  length: number;
}

function takeSpare(): Buffer {
  const buffer = spare ?? Buffer.allocUnsafe(SPARE_BYTES);
  spare = null;
  return buffer;
}

function readInto(buffer: Buffer, { path, offset, length }: FileRange): Buffer | null {
  const filled = useRegularFile(path, (fd) => readFully(fd, buffer, 0, length, offset), openAtOnce);
  return filled === null ? null : buffer.subarray(0, filled);
}
