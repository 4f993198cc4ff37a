import {
  codeOf,
  type ErrorCode,
  isNoDescriptor,
  isSystemError,
  MORE_FILES,
  messageOf,
  SessionDbError,
} from "../../errors.ts";
import { Interrupted } from "../../runtime/cancellation.ts";
import { toSafeJson } from "../../text/safe-json.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { ExitCode } from "../command-line/command.ts";
import type { Output } from "../terminal/output.ts";

export interface FailureOptions {
  json: boolean;
  /** Whether to show the stack of a bug. */
  debug: boolean;
  /** Where bugs are reported. */
  reportTo: () => Promise<string>;
}

const ERROR = "error:";
const INDENT = "  ";

interface Failure {
  code: ErrorCode | "interrupted" | "bug";
  message: string;
  hint: string | undefined;
  choices?: readonly string[];
  exitCode: number;
}

/** Prints in one line what is wrong and how to mend it; with `json` as a document, too. Resolves to the exit code. */
export async function reportFailure(error: unknown, talk: Output, options: FailureOptions): Promise<number> {
  const failure = await failureOf(error, options);
  const { red } = talk.paint;
  const hint = failure.hint === undefined ? "" : ` ${oneLine(failure.hint)}`;
  const [first = "", ...more] = wrapWords(
    `${ERROR} ${sentence(oneLine(failure.message))}${hint}`,
    talk.width,
  );
  talk.print([red(ERROR) + first.slice(ERROR.length), ...more]);
  const choices = failure.choices ?? [];
  if (choices.length > 0) await printChoices(choices, talk);
  if (options.json) {
    const { code, message, hint } = failure;
    const listed = choices.length > 0 && { choices };
    talk.print(toSafeJson({ error: { code, message, hint: hint ?? null, ...listed } }));
  }
  if (failure.code === "bug" && options.debug && error instanceof Error) talk.print(error.stack ?? "");
  return failure.exitCode;
}

async function printChoices(choices: readonly string[], talk: Output): Promise<void> {
  // Loaded here: the module that measures text takes long to load, and hardly any error has choices.
  const { cut } = await import("../../text/width.ts");
  const room = talk.width === undefined ? Number.POSITIVE_INFINITY : talk.width - INDENT.length;
  talk.print(choices.map((choice) => INDENT + cut(oneLine(choice), room)));
}

async function failureOf(error: unknown, options: FailureOptions): Promise<Failure> {
  if (error instanceof Interrupted) {
    return { code: "interrupted", message: error.message, hint: undefined, exitCode: ExitCode.interrupted };
  }
  if (error instanceof SessionDbError) {
    const { code, message, hint, choices } = error;
    return { code, message, hint, choices, exitCode: exitCodeOf(code) };
  }
  const message = messageOf(error);
  // For a `package.json` Node's error has no code.
  const isShortOfFiles = isNoDescriptor(codeOf(error)) || message.endsWith(": too many open files.");
  if (isShortOfFiles || isSystemError(error)) {
    const hint = isShortOfFiles ? MORE_FILES : undefined;
    return { code: "io", message, hint, exitCode: ExitCode.failed };
  }
  return bug(error instanceof Error ? `${error.name}: ${message}` : message, options);
}

async function bug(what: string, options: FailureOptions): Promise<Failure> {
  const stack = options.debug ? "" : " SESSIONDB_DEBUG=1 shows where it happened.";
  return {
    code: "bug",
    message: `this is a bug in sessiondb: ${what}`,
    hint: `Please report it at ${await options.reportTo()}.${stack}`,
    exitCode: ExitCode.failed,
  };
}

function exitCodeOf(code: ErrorCode): number {
  if (code === "usage") return ExitCode.usage;
  return code === "busy" ? ExitCode.busy : ExitCode.failed;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
