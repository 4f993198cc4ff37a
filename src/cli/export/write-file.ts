import { randomBytes } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Pieces smaller than this are written together. */
const ENOUGH = 256 * 1024;

/**
 * Writes a file that only its owner can read, in place of what stood there: whole or not at all.
 *
 * @throws the file system's error
 */
export function writePrivateFile(path: string, pieces: Iterable<string>): void {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  const fd = openSync(beside, "wx", 0o600);
  try {
    try {
      for (const text of gathered(pieces)) writeWhole(fd, Buffer.from(text));
    } finally {
      closeSync(fd);
    }
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** Few large pieces out of many small ones. */
export function* gathered(pieces: Iterable<string>): Generator<string> {
  let waiting: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < ENOUGH) continue;
    yield waiting.join("");
    waiting = [];
    length = 0;
  }
  yield waiting.join("");
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
