import { once } from "node:events";
import { createRequire } from "node:module";
import type { ColorMode } from "../../config/config.ts";
import { wrapWords } from "../../text/wrap-words.ts";

// Importing CommonJS takes Node 3 ms more than requiring it: it is parsed for names first.
const { createColors } = createRequire(import.meta.url)("picocolors") as typeof import("picocolors");

export type Paint = ReturnType<typeof createColors>;

/** Where text goes: `process.stdout`, or a collector in tests. */
export type Stream = NodeJS.WritableStream & {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  writableNeedDrain?: boolean;
};

/** The columns of a terminal; 80 for one whose width is not known, which says 0. */
export function columnsOf({ columns }: Stream): number {
  return columns || 80;
}

/** UTF-16 units that are written at once. */
const PIECE_LENGTH = 1 << 16;

/** One stream with what is known about it. Text from a session has to be sanitised before it is printed. */
export class Output {
  readonly stream: Stream;
  readonly isTerminal: boolean;
  readonly paint: Paint;

  constructor(stream: Stream, color: ColorMode) {
    this.stream = stream;
    this.isTerminal = stream.isTTY === true;
    this.paint = createColors(color === "always" || (color === "auto" && this.isTerminal));
  }

  /** Columns of the terminal; undefined where nothing limits the width. */
  get width(): number | undefined {
    if (!this.isTerminal) return undefined;
    return Math.max(20, columnsOf(this.stream));
  }

  /** Writes lines, each with a newline; very many in pieces, as they are made. */
  print(lines: string | Iterable<string>): void {
    let piece = "";
    for (const line of typeof lines === "string" ? [lines] : lines) {
      piece += `${line}\n`;
      if (piece.length < PIECE_LENGTH) continue;
      this.write(piece);
      piece = "";
    }
    if (piece !== "") this.write(piece);
  }

  /** A sentence of the program's own, broken between words where the terminal is narrower. */
  say(text: string, paint: (line: string) => string = String): void {
    this.print(wrapWords(text, this.width).map(paint));
  }

  /** Notes what an answer lacks, or what was done in another way than asked. */
  note(text: string): void {
    this.say(`note: ${text}`, this.paint.yellow);
  }

  protected write(text: string): void {
    this.stream.write(text);
  }

  /** Resolves when the reader of the stream has caught up, so that output does not pile up in memory. */
  async drained(): Promise<void> {
    if (this.stream.writableNeedDrain) await once(this.stream, "drain");
  }
}
