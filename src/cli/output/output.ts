import { once } from "node:events";
import { createRequire } from "node:module";
import type { ColorMode } from "../../config.ts";

// To import what is CommonJS takes Node 3 ms more than to require it: it is parsed for names first.
const { createColors } = createRequire(import.meta.url)("picocolors") as typeof import("picocolors");

export type Paint = ReturnType<typeof createColors>;

/** Where text goes: `process.stdout`, or a collector in tests. */
export type Stream = NodeJS.WritableStream & {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  writableNeedDrain?: boolean;
};

/** A terminal of which nobody knows how wide it is says 0. */
export function columnsOf({ columns }: Stream): number {
  return columns || 80;
}

/** One stream with what is known about it. Whoever prints text from a session sanitises it first. */
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

  /** Writes one line, or several, each with a newline, all at once. A list: a call takes some 100,000 arguments. */
  print(lines: string | readonly string[]): void {
    if (typeof lines === "string") this.write(`${lines}\n`);
    else if (lines.length > 0) this.write(`${lines.join("\n")}\n`);
  }

  /** Says what an answer leaves out, or what was done otherwise than asked. */
  note(text: string): void {
    this.print(this.paint.yellow(`note: ${text}`));
  }

  protected write(text: string): void {
    this.stream.write(text);
  }

  /** Resolves when whoever reads the stream has caught up, so that what is printed does not pile up here. */
  async drained(): Promise<void> {
    if (this.stream.writableNeedDrain) await once(this.stream, "drain");
  }
}
