import { closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { codeOf, isSystemError } from "../errors.ts";
import { type FileStat, toFileStat } from "./stat.ts";

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

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;

/**
 * Checking the path first, as `openRegularFile` does, takes as long as opening and closing the file (4 µs of 8). With
 * these flags opening never waits and refuses links, and reading anything but a file from an offset fails. Windows has
 * none of these flags.
 */
export function openAtOnce(path: string): number | null {
  if (process.platform === "win32") return openRegularFile(path);
  return openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
}

/** To be closed by who opened it. */
export interface OpenedFile {
  fd: number;
  /** As it was when it was opened. */
  stat: FileStat;
}

/**
 * Opens a path at which a regular file was seen a moment ago; null where something else is by now.
 *
 * @throws the file system's own error
 */
export function openSeenFile(path: string): OpenedFile | null {
  let fd: number | null = null;
  let opened: OpenedFile | null = null;
  try {
    fd = openAtOnce(path);
    const stats = fd === null ? null : fstatSync(fd);
    if (fd !== null && stats?.isFile()) opened = { fd, stat: toFileStat(stats) };
    return opened;
  } catch (error) {
    // A link, or a socket.
    if (["ELOOP", "ENXIO"].includes(codeOf(error))) return null;
    throw error;
  } finally {
    if (fd !== null && opened === null) closeSync(fd);
  }
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
