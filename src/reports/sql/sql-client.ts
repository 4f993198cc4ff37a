import { type ChildProcess, fork } from "node:child_process";
import { codeOf, SessionDbError } from "../../errors.ts";
import type { FromSqlProcess, SqlRequest } from "./sql-process.ts";
import type { SqlBatch } from "./sql-rows.ts";

/** The exit code that a shell reports for a process that V8 has aborted. */
const ABORTED = 134;

/** Far longer than it takes on a machine that is busy. */
const START_MS = 30_000;

/** How long the system may take to tell of the end of a process that reads no more. */
const END_MS = 5000;

type Answer = Exclude<FromSqlProcess, { kind: "ready" }>;

/** The JavaScript heap in MB. The process itself watches how much it holds in all. */
const HEAP_OPTION = "--max-old-space-size=256";

/**
 * A process of its own for one statement, which is ended when its time is over. Begun early, it is ready when the
 * statement is.
 */
export class SqlProcess {
  readonly #child: ChildProcess;
  /** Resolves when the process can run a statement. */
  readonly #ready: Promise<void>;
  readonly #end = (): void => this.end();

  /**
   * @param program the compiled `sql-process.js`
   * @param startMs how long it may take to be ready
   * @throws SessionDbError `io` where no program may be begun
   */
  constructor(program: string, startMs = START_MS) {
    this.#child = begin(program);
    this.#ready = readinessOf(this.#child, startMs);
    // `run` reports the error, however late it is called; until then it must not count as unhandled.
    this.#ready.catch(() => undefined);
    process.once("exit", this.#end);
  }

  /**
   * The rows of a statement, batch by batch. Only the time spent waiting for the statement counts towards
   * `timeoutMs` (0: no limit), not what the caller does with the rows.
   *
   * @throws SessionDbError as `runSql`, and `timeout`; `sql` when it needs too much memory
   */
  async *run(request: SqlRequest, timeoutMs: number): AsyncGenerator<SqlBatch, void, undefined> {
    await this.#ready;
    let left = timeoutMs > 0 ? timeoutMs : Number.POSITIVE_INFINITY;
    for (let question: SqlRequest | "more" = request; ; question = "more") {
      const asked = performance.now();
      const message = await this.#ask(question, left, timeoutMs);
      left -= performance.now() - asked;
      if (message.kind === "done") return;
      if (message.kind === "failed") throw toError(message);
      yield message.batch;
    }
  }

  /** May be called at any moment, and more than once. */
  end(): void {
    process.off("exit", this.#end);
    this.#child.kill("SIGKILL");
  }

  #ask(question: SqlRequest | "more", left: number, timeoutMs: number): Promise<Answer> {
    const child = this.#child;
    const { exitCode, signalCode } = child;
    // The process may have ended before anybody asked.
    if (exitCode !== null || signalCode !== null) return Promise.reject(ended(exitCode, signalCode));
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        child.off("message", onMessage).off("exit", onExit).off("error", fail);
      };
      const fail = (error: Error): void => {
        settle();
        reject(error);
      };
      const onMessage = (message: unknown): void => {
        settle();
        resolve(message as Answer);
      };
      const onExit = (code: number | null, signal: string | null): void => fail(ended(code, signal));
      const timer = Number.isFinite(left)
        ? setTimeout(() => fail(late(timeoutMs)), Math.max(0, left))
        : undefined;
      child.on("message", onMessage).on("exit", onExit).on("error", fail);
      // What cannot be sent has no reader any more: the process has ended, and its end is about to be told, with the cause.
      child.send(question, (error) => error && setTimeout(fail, END_MS, error).unref());
    });
  }
}

function begin(program: string): ChildProcess {
  try {
    return fork(program, [String(process.pid)], {
      execArgv: [HEAP_OPTION],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  } catch (error) {
    // Node refuses it with this code under `--permission`.
    throw codeOf(error) === "ERR_ACCESS_DENIED" ? notBegun(error) : error;
  }
}

/** Resolves with the first message of the process, which says that it is ready. */
async function readinessOf(child: ChildProcess, startMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", (code, signal) =>
      reject(isAbortion(code, signal) ? stillborn() : ended(code, signal)),
    );
    // The listener stays: a later error without one would end this program.
    child.on("error", (error) => reject(child.pid === undefined ? notBegun(error) : error));
    timer = setTimeout(() => reject(notReady(startMs)), startMs);
  }).finally(() => clearTimeout(timer));
}

function isAbortion(code: number | null, signal: string | null): boolean {
  return signal !== null || code === ABORTED;
}

function notBegun(error: unknown): SessionDbError {
  const code = codeOf(error);
  const hint = TO_BEGIN_ONE[code];
  const details = hint === undefined ? { cause: error } : { cause: error, hint };
  return new SessionDbError("io", `the process that runs the statement cannot be started (${code})`, details);
}

/** For a process that ended before it was ready: Node aborts where it gets no threads of its own, or no memory. */
function stillborn(): SessionDbError {
  return new SessionDbError("io", "the process that runs the statement ended before it was ready", {
    hint: MORE_PROCESSES,
  });
}

/** For a process that was never ready: where Node gets no threads of its own it may wait for ever. */
function notReady(startMs: number): SessionDbError {
  const seconds = startMs / 1000;
  return new SessionDbError(
    "timeout",
    `the process that runs the statement was not ready after ${seconds} s`,
    {
      hint: MORE_PROCESSES,
    },
  );
}

const MORE_PROCESSES = "Allow more processes: ulimit -u, or the limit of the container.";

/** What to do where no further process can be started. */
const TO_BEGIN_ONE: Readonly<Record<string, string>> = {
  EAGAIN: MORE_PROCESSES,
  ERR_ACCESS_DENIED: "Let Node start processes: --allow-child-process.",
};

function late(timeoutMs: number): SessionDbError {
  return new SessionDbError("timeout", `the statement was stopped after ${timeoutMs / 1000} s`, {
    hint: "Ask for less, or allow more time with --timeout SECONDS.",
  });
}

/** Its own watch, V8 at the end of its heap, and a system out of memory all end a process by a signal. */
function ended(code: number | null, signal: string | null): SessionDbError {
  if (!isAbortion(code, signal)) {
    return new SessionDbError("io", `the process that runs the statement ended with exit code ${code}`);
  }
  return new SessionDbError("sql", "the statement needs more memory than it may use", {
    hint: "Ask for fewer or shorter values.",
  });
}

function toError({ code, message, hint }: FromSqlProcess & { kind: "failed" }): Error {
  if (code === "bug") return new Error(message);
  return new SessionDbError(code, message, hint === undefined ? {} : { hint });
}
