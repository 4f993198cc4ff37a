import { closeSync, constants, openSync } from "node:fs";

/** Opens a file for reading while `use` runs. @throws the file system's error */
export function useFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openForReading(path);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** Follows links, and never waits at a FIFO. @throws the file system's error */
export function openForReading(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}
