import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { type Json, objectOf, textOf } from "./json-document.ts";
import { oneLine } from "./text.ts";

export interface RunOptions {
  cwd: string;
  signal?: AbortSignal | undefined;
  /** Milliseconds; 0 for no limit. */
  timeout: number;
  /** Columns of what it is printed on; as wide as it comes unless told. */
  columns?: number | undefined;
  /** Is told what it prints while it runs, piece by piece. */
  hear?: ((piece: string) => void) | undefined;
}

/** How a program ended. */
export interface RunResult {
  stdout: string;
  stderr: string;
  /** Null where it was ended by a signal, or never ran. */
  code: number | null;
  /** The signal that ended it: `SIGKILL`, ... */
  signal: string | null;
  /** Whether there was such a program to run. */
  isStarted: boolean;
  isTimedOut: boolean;
}

export type Run = (command: string, args: string[], options: RunOptions) => Promise<RunResult>;

/**
 * Runs a program to its end, with nothing to read. pi has a function for that (`exec`), but in 0.73 and 0.87 it decodes
 * each piece of the output by itself, which damages characters that lie across two pieces, and says of a program that
 * was killed that it ended well.
 */
export const runProgram: Run = (command, args, { hear, ...options }) =>
  new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { ...options, maxBuffer: Number.POSITIVE_INFINITY, windowsHide: true },
      (error, stdout, stderr) => {
        const wasWithdrawn = options.signal?.aborted === true;
        resolve({
          stdout,
          stderr,
          code: error === null ? 0 : numberOrNull(error.code),
          signal: error?.signal ?? null,
          // Where it ran, an error has the exit code, or a signal and no code at all.
          isStarted: wasWithdrawn || typeof error?.code !== "string",
          isTimedOut: !wasWithdrawn && error?.killed === true,
        });
      },
    );
    child.stdin?.end();
    if (hear !== undefined) child.stdout?.on("data", hear);
  });

function numberOrNull(code: unknown): number | null {
  return typeof code === "number" ? code : null;
}

const ANSWER_TIMEOUT_MS = 60_000;
/** Errors after which a program cannot answer anything. Another program may: it may be newer, or built. */
const USELESS = ["not_installed", "native_missing", "node_too_old", "index_newer"];

/** A program, and the arguments that come before those of a command. */
export interface Program {
  command: string;
  before: string[];
}

/** What to do where no program can be started, and where one lacks packages. */
export interface Advice {
  toStart: string;
  toComplete: string;
}

const ADVICE: Advice = {
  toStart: "sessiondb needs Node, which is not on your path; install Node 20.19 or newer",
  toComplete: "sessiondb lacks the packages it needs; install it again",
};

/** A minute is waited for unless told. */
export type AskOptions = Partial<RunOptions> & Pick<RunOptions, "cwd">;

/** What a command says in JSON. */
export interface Answer {
  document: Json;
  /** What is to be known about it, each on one line: that it is not up to date, that there is no such role. */
  notes: string[];
}

/** The command line gave an error instead of an answer; the message is one line for people. */
export class CommandLineError extends Error {
  override name = "CommandLineError";
  /** As in `--json`: `busy`, `usage`, ...; `not_installed` where no program was found, `aborted` after the signal. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * `sessiondb` as a program. The index is never opened inside pi: pi also comes as one executable, which cannot load
 * a native database driver. The shell's panel has a thread that runs it.
 */
export class CommandLine {
  readonly #run: Run;
  readonly #advice: Advice;
  #programs: readonly Program[];

  /** @param programs in the order in which they are tried */
  constructor(programs: readonly Program[], run: Run = runProgram, advice: Advice = ADVICE) {
    this.#programs = programs;
    this.#run = run;
    this.#advice = advice;
  }

  /** Runs a command, and returns the JSON document it prints. @throws CommandLineError */
  async ask(words: string[], options: AskOptions): Promise<Json> {
    return (await this.answer(words, options)).document;
  }

  /** Runs a command, and returns its document with what is noted about it. @throws CommandLineError */
  async answer(words: string[], options: AskOptions): Promise<Answer> {
    const { stdout, stderr } = await this.#runFirst(["--json", ...words], options);
    const document = documentIn(stdout);
    if (document === undefined)
      throw new CommandLineError(
        "failed",
        "The program called sessiondb is another one: it printed no JSON.",
      );
    return { document, notes: notesIn(stderr) };
  }

  /** Runs a command, and returns what it prints. @throws CommandLineError */
  async print(words: string[], options: AskOptions): Promise<string> {
    return (await this.#runFirst(words, options)).stdout;
  }

  /** A program that cannot answer is followed by the next one; if none can, the error is that of the first. */
  async #runFirst(words: string[], options: AskOptions): Promise<RunResult> {
    let reason: CommandLineError | undefined;
    for (const program of this.#programs) {
      const answer = await this.#runOne(program, words, options);
      if (!(answer instanceof CommandLineError)) {
        this.#programs = [program, ...this.#programs.filter((each) => each !== program)];
        return answer;
      }
      if (!USELESS.includes(answer.code)) throw answer;
      reason ??= answer;
    }
    throw reason ?? new CommandLineError("not_installed", this.#advice.toStart);
  }

  async #runOne(
    program: Program,
    words: string[],
    options: AskOptions,
  ): Promise<RunResult | CommandLineError> {
    const { signal, timeout = ANSWER_TIMEOUT_MS } = options;
    // A project's directory may be gone; starting a program there fails as if there were no program.
    const cwd = existsSync(options.cwd) ? options.cwd : homedir();
    const result = await this.#run(program.command, [...program.before, ...words], {
      ...options,
      ...{ cwd, timeout },
    });
    if (signal?.aborted) return new CommandLineError("aborted", "The query was cancelled.");
    return result.code === 0 ? result : errorOf(result, this.#advice);
  }
}

function errorOf(
  { stderr, code, signal, isStarted, isTimedOut }: RunResult,
  advice: Advice,
): CommandLineError {
  if (!isStarted) return new CommandLineError("not_installed", advice.toStart);
  if (isTimedOut) return new CommandLineError("timeout", "sessiondb took too long to answer; try again.");
  if (signal !== null)
    return new CommandLineError("failed", `sessiondb was stopped by ${signal}; try again.`);
  const stated = stderr.split("\n").map(statedError).find(Boolean);
  if (stated) return stated;
  if (stderr.includes("ERR_MODULE_NOT_FOUND"))
    return new CommandLineError("not_installed", advice.toComplete);
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  // After the error Node prints its stack, and Node's version.
  const said = lines.find((line) => /^\w*Error\b.*: /.test(line)) ?? lines.at(-1) ?? `exit code ${code}`;
  return new CommandLineError("failed", `sessiondb failed: ${oneLine(said)}`);
}

const NOTE = "note: ";

function notesIn(stderr: string): string[] {
  const lines = stderr.split("\n").map(oneLine);
  return lines.filter((line) => line.startsWith(NOTE)).map((line) => line.slice(NOTE.length));
}

/** The error in a line of standard error: `{"error":{"code","message","hint"}}`. */
function statedError(line: string): CommandLineError | undefined {
  const document = line.startsWith('{"error"') ? documentIn(line) : undefined;
  if (document === undefined) return undefined;
  const { code, message, hint } = objectOf(document.error);
  const said = [textOf(message), textOf(hint)].filter(Boolean).map(asSentence).join(" ");
  return new CommandLineError(textOf(code), oneLine(`sessiondb: ${said}`));
}

function documentIn(text: string): Json | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
