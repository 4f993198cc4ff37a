import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { SessionDbError } from "../errors.ts";

/** Reads a text file. @throws Node's error; SessionDbError `usage` for anything but a file */
export type ReadText = (path: string) => string;

/** What a shell puts in the place of a file: `--config <(...)`. It is a pipe that has its writer. */
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\//;

/**
 * Reads the text of the file that a path leads to. Never waits at a FIFO, to which nobody may ever write.
 * @throws SessionDbError `usage` for anything but a file; Node's error
 */
export function readTextFile(path: string): string {
  if (DESCRIPTOR.test(path)) return readFileSync(path, "utf8");
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (stats.isFile() || stats.isDirectory()) return readFileSync(fd, "utf8");
    throw new SessionDbError("usage", `${path} is not a file but a ${stats.isFIFO() ? "FIFO" : "device"}`, {
      hint: "Put a file in its place, or remove it.",
    });
  } finally {
    closeSync(fd);
  }
}

/** The text of a file without the byte-order mark that some editors put at its beginning. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
