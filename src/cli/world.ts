import type { Environment } from "../config.ts";
import type { Stream } from "./output/output.ts";

/** Where `sql` reads its statement from when none is given, and answers to questions come from. */
export type Input = NodeJS.ReadableStream & { isTTY?: boolean | undefined };

/** Everything outside the program. The mains hand in the real one, tests one of their own. */
export interface World {
  stdin: Input;
  stdout: Stream;
  stderr: Stream;
  env: Environment;
  home: string;
  /** Undefined when the current directory no longer exists. */
  cwd: string | undefined;
  /** Unix ms. This clock may be set at any time: it tells what day it is, not how long something takes. */
  now: () => number;
  /** Milliseconds since some moment; never set, never goes back. */
  steady: () => number;
  /** The IANA zone a name stands for, the system's without a name; `Intl` is asked when absent. */
  timezoneOf?: (name: string | undefined) => string | undefined;
  /** Path of the compiled program that runs the statements of `sql`. */
  sqlProgram: string;
  /** Rejects, and leaves the file where it is, when there is no trash for it. */
  moveToTrash(path: string): Promise<void>;
  /** Shows what does not fit on the terminal; resolves to false when it cannot. Absent: nothing is paged. */
  page?: (text: string) => Promise<boolean>;
  /** Runs work that Ctrl-C and signals like it should end at its next step. Other work they end at once. */
  interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}
