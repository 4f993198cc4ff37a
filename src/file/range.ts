import { closeSync } from "node:fs";
import { codeOf } from "../errors.ts";
import { readFully } from "./lines.ts";
import { openRegularFile } from "./stat.ts";

/** The bytes of a range of a file; null when they cannot be had. */
export function readRange(path: string, offset: number, length: number): Buffer | null {
  let fd: number | null = null;
  try {
    fd = openRegularFile(path);
    if (fd === null) return null;
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readFully(fd, bytes, 0, length, offset));
  } catch (error) {
    if (/^E[A-Z]+$/.test(codeOf(error))) return null;
    throw error;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
