import { execFile } from "node:child_process";

export interface RunOptions {
  cwd: string;
  signal?: AbortSignal | undefined;
  /** Milliseconds; 0 for no limit. */
  timeout: number;
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
export const runProgram: Run = (command, args, options) =>
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
  });

function numberOrNull(code: unknown): number | null {
  return typeof code === "number" ? code : null;
}
