import { closeSync } from "node:fs";
import { isSystemError } from "../errors.ts";
import { openRegularFile } from "./stat.ts";

/** What `read` makes of an open file; null for what is not a regular file, or cannot be opened or read (any more). */
export function withFile<T>(path: string, read: (fd: number) => T, open = openRegularFile): T | null {
  let fd: number | null = null;
  try {
    fd = open(path);
    return fd === null ? null : read(fd);
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
