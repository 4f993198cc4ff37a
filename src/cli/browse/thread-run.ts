import type { Run, RunResult } from "../../panels/command-line.ts";
import { moduleAt } from "../../runtime/module-path.ts";
import { Thread } from "../../runtime/thread.ts";
import type { ThreadPlace } from "../terminal/thread-world.ts";

/** A command line for the thread, and what came of it. */
export interface NumberedCommand {
  number: number;
  argv: readonly string[];
  /** Of the terminal that it seems to be printed on; undefined where it is none. */
  columns: number | undefined;
}
export interface NumberedEnd {
  number: number;
  stdout: string;
  stderr: string;
  code: number;
}

interface Waiting {
  command: NumberedCommand;
  signal: AbortSignal | undefined;
  resolve: (result: RunResult) => void;
}

/**
 * Runs command lines in a thread, one after the other: SQLite keeps its thread busy while it answers, and nothing ends a
 * statement. What is withdrawn before its turn is never run.
 */
export class ThreadRun {
  readonly #place: ThreadPlace;
  readonly #waiting: Waiting[] = [];
  #thread: Thread<ThreadPlace, NumberedCommand, NumberedEnd> | null = null;
  #running: Waiting | null = null;
  #number = 0;

  constructor(place: ThreadPlace) {
    this.#place = place;
  }

  /** Begins the thread before anything is asked: loading what answers takes as long as many answers. */
  begin(): void {
    if (this.#thread !== null) return;
    this.#thread = new Thread<ThreadPlace, NumberedCommand, NumberedEnd>({
      module: moduleAt("src/cli/browse/command-thread"),
      orders: this.#place,
      hear: ({ number, ...end }) => {
        if (this.#running?.command.number === number) this.#end(ended(end));
      },
      fail: (error) => {
        this.#thread = null;
        this.#end(ended({ stdout: "", stderr: `Error: ${String(error)}`, code: 1 }));
      },
    });
    this.#thread.unref();
  }

  readonly run: Run = (_command, argv, { signal, columns }) =>
    new Promise((resolve) => {
      const command = { number: ++this.#number, argv, columns };
      this.#waiting.push({ command, signal, resolve });
      this.#next();
    });

  #next(): void {
    while (this.#running === null) {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) return;
      if (waiting.signal?.aborted) {
        waiting.resolve(ended({ stdout: "", stderr: "", code: 1 }));
        continue;
      }
      this.#running = waiting;
      this.begin();
      this.#thread?.tell(waiting.command);
    }
  }

  #end(result: RunResult): void {
    const running = this.#running;
    this.#running = null;
    running?.resolve(result);
    this.#next();
  }
}

function ended(end: Pick<RunResult, "stdout" | "stderr" | "code">): RunResult {
  return { ...end, signal: null, isStarted: true, isTimedOut: false };
}
