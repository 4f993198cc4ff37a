import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";

/** Signals that end a command: Ctrl-C, `kill`, a terminal that is closed. */

const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type EndSignal = (typeof END_SIGNALS)[number];

/** The exit code that a shell reports for a program ended by a signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Lets these signals end work at its next step, so that nothing half-done is left behind. */
export class Interrupts {
  #told: EndSignal | undefined;

  /**
   * Only a second Ctrl-C ends the process at once: it comes from a person. The other signals often come twice, from a
   * terminal that is closed and from its shell.
   */
  async around<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const end = (signal: EndSignal): void => {
      if (signal === "SIGINT" && controller.signal.aborted) process.exit(exitCodeOf(signal));
      this.#told = signal;
      controller.abort();
    };
    for (const name of END_SIGNALS) process.on(name, end);
    try {
      return await work(controller.signal);
    } finally {
      for (const name of END_SIGNALS) process.off(name, end);
    }
  }

  /**
   * The exit code of a command that has ended with `code`. Ctrl-C keeps it: some commands can only be ended that way.
   */
  exitCode(code: number): number {
    return this.#told === undefined || this.#told === "SIGINT" ? code : exitCodeOf(this.#told);
  }
}

/** How a child that had this terminal has ended. */
export interface ChildEnd {
  code: number;
  /** The signal that this process got meanwhile. Not Ctrl-C, which the child gets, too, and is left to it. */
  told: EndSignal | undefined;
}

/**
 * Begins a child and waits for its end, whatever signals come. Listeners are added first, because the child may run
 * before this process goes on. `tell` is called with signals that perhaps only this process got.
 */
export async function endOf(
  begin: () => ChildProcess,
  tell: (child: ChildProcess, signal: EndSignal) => void = () => undefined,
): Promise<ChildEnd> {
  let child: ChildProcess | undefined;
  let told: EndSignal | undefined;
  const hear = (signal: EndSignal): void => {
    if (signal === "SIGINT" || child === undefined) return;
    told = signal;
    tell(child, signal);
  };
  for (const name of END_SIGNALS) process.on(name, hear);
  try {
    const begun = begin();
    child = begun;
    const code = await new Promise<number>((resolve, reject) => {
      begun.on("error", reject);
      begun.on("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : exitCodeOf(signal))));
    });
    return { code, told };
  } finally {
    for (const name of END_SIGNALS) process.off(name, hear);
  }
}

const STANDARD_STREAMS = [0, 1, 2];

/**
 * Makes a process whose terminal was closed end by the signal for that, however it ends. Otherwise it would abort, with a
 * stack trace: as it ends, Node (20 at least) resets the terminals it was started with, and does not expect one to be gone.
 */
export function endWithTerminal(): void {
  // There, Node resets none, and the signal cannot be sent.
  if (process.platform === "win32") return;
  const terminals = STANDARD_STREAMS.filter((stream) => isatty(stream));
  if (terminals.length === 0) return;
  process.on("exit", (code) => {
    // One whose closing was told may go a moment later.
    const isOpen = code !== exitCodeOf("SIGHUP") && terminals.every((stream) => isatty(stream));
    if (isOpen) return;
    process.removeAllListeners("SIGHUP");
    process.kill(process.pid, "SIGHUP");
  });
}
