import { codeOf, isSystemError } from "../../errors.ts";
import { readArrayStep } from "../../files/array-file.ts";
import { type Line, LineReader } from "../../files/lines.ts";
import { closeFile, openRegularFile } from "../../files/open-file.ts";
import type { Opened } from "../../files/packed-file.ts";
import { isArrayFileName } from "../../files/session-path.ts";
import { type FileStat, statOpenFile } from "../../files/stat.ts";

/** What a file is now, beside what the index has read of it. */
export type FileNow =
  | { kind: "there"; stat: FileStat }
  | { kind: "gone" }
  | { kind: "unreadable"; code: string };

/** Takes the next line, valid until the one after it, with its number. Returns whether it wants more. */
export type TakeLine = (line: Line, number: number) => boolean;

/** Reads session files anew, from their first byte, in memory bounded by the longest line. */
export class FileLines {
  readonly #reader = new LineReader();

  /** Hands over the lines up to `end`, the last of which may be unfinished, and says what the file is. */
  read(path: string, end: number, take: TakeLine): FileNow {
    let fd: Opened | null = null;
    try {
      fd = openRegularFile(path);
      if (fd === null) return { kind: "gone" };
      const stat = statOpenFile(fd);
      if (isArrayFileName(path)) this.#readArray(fd, stat.size, take);
      else this.#readLines(fd, Math.min(end, stat.size), take);
      return { kind: "there", stat };
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") return { kind: "gone" };
      if (isSystemError(error)) return { kind: "unreadable", code };
      throw error;
    } finally {
      if (fd !== null) closeFile(fd);
    }
  }

  #readArray(fd: Opened, size: number, take: TakeLine): void {
    for (const line of readArrayStep(fd, size).lines) if (!take(line, line.number ?? 0)) return;
  }

  #readLines(fd: Opened, end: number, take: TakeLine): void {
    let number = 0;
    for (let from = 0; from < end; ) {
      const step = this.#reader.readStep(fd, from, end);
      for (const line of step.lines) if (!take(line, ++number)) return;
      if (step.atEnd || step.end === from) return;
      from = step.end;
    }
  }
}
