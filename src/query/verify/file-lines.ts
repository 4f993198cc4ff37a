import { closeSync } from "node:fs";
import { codeOf, isSystemError } from "../../errors.ts";
import { readArrayStep } from "../../file/array.ts";
import { type Line, LineReader } from "../../file/lines.ts";
import { isArrayFileName } from "../../file/names.ts";
import { openRegularFile, statOpenFile } from "../../file/stat.ts";

/** What a file is now, beside what the index has read of it. */
export type FileNow =
  | { kind: "there"; size: number }
  | { kind: "gone" }
  | { kind: "unreadable"; code: string };

/** Reads session files anew, from their first byte, in memory bounded by the longest line. */
export class FileLines {
  readonly #reader = new LineReader();

  /** Hands over the lines up to `end`, each valid until the next one, and says what the file is. */
  read(path: string, end: number, take: (line: Line, number: number) => void): FileNow {
    let fd: number | null = null;
    try {
      fd = openRegularFile(path);
      if (fd === null) return { kind: "gone" };
      const { size } = statOpenFile(fd);
      if (isArrayFileName(path)) this.#readArray(fd, size, take);
      else this.#readLines(fd, Math.min(end, size), take);
      return { kind: "there", size };
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT") return { kind: "gone" };
      if (isSystemError(error)) return { kind: "unreadable", code };
      throw error;
    } finally {
      if (fd !== null) closeSync(fd);
    }
  }

  #readArray(fd: number, size: number, take: (line: Line, number: number) => void): void {
    for (const line of readArrayStep(fd, size).lines) take(line, line.number ?? 0);
  }

  #readLines(fd: number, end: number, take: (line: Line, number: number) => void): void {
    let number = 0;
    for (let from = 0; from < end; ) {
      const step = this.#reader.readStep(fd, from, end);
      for (const line of step.lines) take(line, ++number);
      if (step.atEnd || step.end === from) return;
      from = step.end;
    }
  }
}
