import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { isSystemError } from "../errors.ts";

/**
 * Opens a regular file for reading. Never waits at a FIFO and never follows a link that was put in the
 * file's place.
 *
 * @throws the file system's own error; `null` is returned for what is not a regular file.
 */
export function openRegularFile(path: string): number | null {
  if (!lstatSync(path).isFile()) return null;
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
}

/** Opens whatever a path leads to for reading, as pi does; never waits at a FIFO. @throws the file system's error */
export function openForReading(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

/**
 * What `use` makes of a regular file while it is open; null for anything else, and for what cannot be opened or read (any
 * more). `open` may do in another way what `openRegularFile` does.
 */
export function useRegularFile<T>(path: string, use: (fd: number) => T, open = openRegularFile): T | null {
  let fd: number | null = null;
  try {
    fd = open(path);
    return fd === null ? null : use(fd);
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** What `use` makes of whatever a path leads to while it is open. @throws the file system's error */
export function useFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openForReading(path);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}
