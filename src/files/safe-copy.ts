import { closeSync, constants, fsyncSync, futimesSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { readFully } from "./lines.ts";
import type { Opened } from "./packed-file.ts";
import { BLOCK_BYTES } from "./packed-format.ts";
import { writeFully } from "./write-file.ts";

/* Copies of files that are taken away afterwards: written, flushed to the disk and compared. */

/** Hands over the first bytes of a file, `blockBytes` at a time, and gives their SHA-256. */
export function readBlocks(
  from: Opened,
  size: number,
  take: (bytes: Buffer) => void,
  blockBytes = BLOCK_BYTES,
): Buffer {
  const sum = process.getBuiltinModule("node:crypto").createHash("sha256");
  const buffer = Buffer.allocUnsafe(Math.min(blockBytes, size));
  for (let at = 0; at < size; ) {
    const bytes = buffer.subarray(0, readFully(from, buffer, 0, Math.min(buffer.length, size - at), at));
    if (bytes.length === 0) break;
    sum.update(bytes);
    take(bytes);
    at += bytes.length;
  }
  return sum.digest();
}

/** Writes the first bytes of a file to another one. */
export function copyBytes(from: Opened, size: number, to: number): void {
  readBlocks(from, size, (bytes) => writeFully(to, bytes));
}

/** Whether the first bytes of two files are the same. */
export function isSameContent(a: Opened, b: Opened, length: number): boolean {
  const [left, right] = [Buffer.allocUnsafe(BLOCK_BYTES), Buffer.allocUnsafe(BLOCK_BYTES)];
  for (let at = 0; at < length; at += BLOCK_BYTES) {
    const wanted = Math.min(BLOCK_BYTES, length - at);
    const filled = [readFully(a, left, 0, wanted, at), readFully(b, right, 0, wanted, at)];
    if (filled.some((bytes) => bytes !== wanted)) return false;
    if (!left.subarray(0, wanted).equals(right.subarray(0, wanted))) return false;
  }
  return true;
}

/** Writes a file anew, for its owner alone, and flushes it to the disk. @throws the file system's error; nothing is left then */
export function writeFlushed(path: string, write: (fd: number) => void): void {
  rmSync(path, { force: true });
  const fd = openSync(path, "wx", 0o600);
  let isWritten = false;
  try {
    write(fd);
    fsyncSync(fd);
    isWritten = true;
  } finally {
    closeSync(fd);
    if (!isWritten) rmSync(path, { force: true });
  }
  flushFolder(dirname(path));
}

/** To the microsecond, which is what can be set. */
export function setTime(fd: number, mtimeMs: number): void {
  const seconds = Math.floor(mtimeMs * 1000) / 1e6;
  futimesSync(fd, seconds, seconds);
}

/** So that names survive a power cut. Windows has no such call. */
export function flushFolder(path: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
