import { closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { codeOf, isSystemError } from "../errors.ts";
import { type Opened, PackedFile } from "./packed-file.ts";
import { isPackedName } from "./session-path.ts";
import { type FileStat, statOpenFile, toFileStat } from "./stat.ts";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;

/**
 * Opens a regular file for reading; null for anything else. Never waits at a FIFO, and never follows a link that was
 * put in the file's place. One of the archive is read as the session file that is packed in it.
 *
 * @throws the file system's own error
 */
export function openRegularFile(path: string): Opened | null {
  return lstatSync(path).isFile() ? openWith(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW) : null;
}

function openWith(path: string, flags: number): Opened {
  return isPackedName(path) ? PackedFile.open(path, flags) : openSync(path, flags);
}

export function closeFile(fd: Opened): void {
  if (typeof fd === "number") closeSync(fd);
  else fd.close();
}

/**
 * Checking the path first, as `openRegularFile` does, takes as long as opening and closing the file (4 µs of 8). With
 * these flags opening never waits and refuses links, and reading anything but a file from an offset fails. Windows has
 * none of these flags.
 */
export function openAtOnce(path: string): Opened | null {
  if (process.platform === "win32") return openRegularFile(path);
  return openWith(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
}

/** To be closed by who opened it. */
export interface OpenedFile {
  fd: Opened;
  /** As it was when it was opened. */
  stat: FileStat;
}

/**
 * Opens a path at which a regular file was seen a moment ago; null where something else is by now.
 *
 * @throws the file system's own error
 */
export function openSeenFile(path: string): OpenedFile | null {
  let fd: Opened | null = null;
  let opened: OpenedFile | null = null;
  try {
    fd = openAtOnce(path);
    const stats = typeof fd === "number" ? fstatSync(fd) : null;
    if (fd !== null && stats?.isFile() !== false)
      opened = { fd, stat: stats ? toFileStat(stats) : statOpenFile(fd) };
    return opened;
  } catch (error) {
    // A link, or a socket.
    if (["ELOOP", "ENXIO"].includes(codeOf(error))) return null;
    throw error;
  } finally {
    if (fd !== null && opened === null) closeFile(fd);
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
export function useRegularFile<T>(path: string, use: (fd: Opened) => T, open = openRegularFile): T | null {
  let fd: Opened | null = null;
  try {
    fd = open(path);
    return fd === null ? null : use(fd);
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  } finally {
    if (fd !== null) closeFile(fd);
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
