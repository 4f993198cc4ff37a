import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { basename } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Json, objectOf, textOf } from "./json-document.ts";
import { oneLine } from "./text.ts";

export interface RunOptions {
  cwd: string;
  signal?: AbortSignal | undefined;
  /** Milliseconds; 0 for no limit. */
  timeout: number;
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

/** The program that comes in the same package as this extension. */
const OWN_PROGRAM = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));
/** That program as sources, where nothing was built, as in a package from git; Node runs these from 22.18 on. */
const OWN_SOURCES = fileURLToPath(new URL("../cli/main.ts", import.meta.url));
const OWN_FOLDER = fileURLToPath(new URL("../..", import.meta.url));
/** The message for a package that was cloned, where nothing can run its sources. */
const HOW_TO_BUILD = `sessiondb is not built; fix it with: cd "${OWN_FOLDER}" && npm install --include=dev && npm run build`;
/** The message for a package that was copied or cloned by hand. */
const HOW_TO_COMPLETE = `sessiondb lacks the packages it needs; fix it with: cd "${OWN_FOLDER}" && npm install --omit=dev`;
/** The message where the package's own program is there, but no Node to run it. */
const HOW_TO_RUN = "sessiondb needs Node, which is not on your path; install Node 20.19 or newer";
const ANSWER_TIMEOUT_MS = 60_000;
/** Errors after which a program cannot answer anything. Another program may: it may be newer, or built. */
const USELESS = ["not_installed", "native_missing", "node_too_old", "index_newer"];

/** A program, and the arguments that come before those of a command. */
interface Program {
  command: string;
  before: string[];
}

export interface AskOptions {
  cwd: string;
  signal?: AbortSignal | undefined;
  /** Milliseconds; by default a minute; 0 for no limit. */
  timeout?: number;
  /** As in `RunOptions`. */
  hear?: (piece: string) => void;
}

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
 * a native database driver.
 */
export class CommandLine {
  readonly #run: Run;
  #programs: readonly Program[];

  /** @param programs in the order in which they are tried */
  constructor(programs: readonly Program[] = knownPrograms(), run: Run = runProgram) {
    this.#programs = programs;
    this.#run = run;
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
    throw reason ?? new CommandLineError("not_installed", howToStart());
  }

  async #runOne(
    program: Program,
    words: string[],
    options: AskOptions,
  ): Promise<RunResult | CommandLineError> {
    const { signal, hear, timeout = ANSWER_TIMEOUT_MS } = options;
    // A project's directory may be gone; starting a program there fails as if there were no program.
    const cwd = existsSync(options.cwd) ? options.cwd : homedir();
    const result = await this.#run(program.command, [...program.before, ...words], {
      ...{ cwd, timeout, signal },
      ...(hear && { hear }),
    });
    if (signal?.aborted) return new CommandLineError("aborted", "The query was cancelled.");
    return result.code === 0 ? result : errorOf(result);
  }
}

function knownPrograms(): Program[] {
  const own = ownProgram();
  const installed = { command: "sessiondb", before: [] };
  return own === undefined ? [installed] : [{ command: nodeCommand(), before: [own] }, installed];
}

function ownProgram(): string | undefined {
  const runsSources = Boolean(Reflect.get(process.features, "typescript"));
  return [OWN_PROGRAM, ...(runsSources ? [OWN_SOURCES] : [])].find((path) => existsSync(path));
}

/** The message when no program could be started. */
function howToStart(): string {
  return ownProgram() === undefined ? HOW_TO_BUILD : HOW_TO_RUN;
}

/** The Node that runs pi, unless pi is an executable of its own. */
function nodeCommand(): string {
  return /^node(\.exe)?$/i.test(basename(process.execPath)) ? process.execPath : "node";
}

function errorOf({ stderr, code, signal, isStarted, isTimedOut }: RunResult): CommandLineError {
  if (!isStarted) return new CommandLineError("not_installed", howToStart());
  if (isTimedOut) return new CommandLineError("timeout", "sessiondb took too long to answer; try again.");
  if (signal !== null)
    return new CommandLineError("failed", `sessiondb was stopped by ${signal}; try again.`);
  const stated = stderr.split("\n").map(statedError).find(Boolean);
  if (stated) return stated;
  if (stderr.includes("ERR_MODULE_NOT_FOUND")) return new CommandLineError("not_installed", HOW_TO_COMPLETE);
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
