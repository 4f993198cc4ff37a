import type { Environment } from "../../runtime/env.ts";
import type { Stream } from "./output.ts";

/** The stream from which `sql` reads its statement when none is given, and from which answers to questions come. */
export type Input = NodeJS.ReadableStream & { isTTY?: boolean | undefined };

/** Everything outside the program. `main.ts` passes in the real one, tests one of their own. */
export interface World {
  stdin: Input;
  stdout: Stream;
  stderr: Stream;
  env: Environment;
  home: string;
  /** Undefined when the current directory no longer exists. */
  cwd: string | undefined;
  /** Unix ms. This clock may be set at any time: use it for dates, not for how long something takes. */
  now: () => number;
  /** Milliseconds since some moment. This clock is never set and never goes back. */
  steady: () => number;
  /** Returns the IANA zone a name stands for, the system's without a name; when absent, `Intl` is asked. */
  timezoneOf?: (name: string | undefined) => string | undefined;
  /** Milliseconds a daemon has to guarantee that the index is current; when absent, as many as `isKeptUpToDate` gives it. */
  daemonPatienceMs?: number;
  /** Path of the compiled program that runs the statements of `sql`. */
  sqlProgram: string;
  /** Rejects when there is no trash for the file, which then stays where it is. */
  moveToTrash(path: string): Promise<void>;
  /**
   * Shows a text that does not fit on the terminal; resolves to false when it cannot. When absent, nothing is paged.
   */
  page?: (text: string) => Promise<boolean>;
  /** Whether the terminal shows links; when absent, it does not. */
  showsLinks?: () => Promise<boolean>;
  /** It is about the bundled samples (`sessiondb demo`). */
  isDemo?: boolean;
  /** Failures are told as documents, whatever is asked for (the page's CSV). */
  failsInJson?: boolean;
  /** Runs work that Ctrl-C and signals like it end only at its next step; other work is ended at once. */
  interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}
