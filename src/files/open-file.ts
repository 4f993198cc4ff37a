import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { isSystemError } from "../errors.ts";

/**
 * Opens a regular file for reading; null for anything else. Never waits at a FIFO, and never follows a link that was
 * put in the file's place.
 *
 * @throws the file system's own error
 */
export function openRegularFile(path: string): number | null {
  if (!lstatSync(path).isFile()) return null;
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
}

/** Opens whatever a path leads to, for reading, as pi does; never waits at a FIFO. @throws the file system's error */
export function openForReading(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

/**
 * Opens a regular file, and returns what `use` gives for it; null for anything else, and for a file that cannot be
 * opened or read (any more). `open` may be another way to do what `openRegularFile` does.
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

/** Opens whatever a path leads to, and returns what `use` gives for it. @throws the file system's error */
export function useFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openForReading(path);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}
