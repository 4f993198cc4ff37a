import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { askDaemon, isDaemonRunning } from "../../daemon/control/lease.ts";
import { isAlive } from "../../daemon/control/process.ts";
import type { IndexLocation } from "../../src/store/location.ts";
import { pollUntil } from "./poll-until.ts";

/** How a program ended, and what it printed. */
export interface Outcome {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Resolves when a child has ended. To be called before the child prints anything. */
export async function finished(child: ChildProcess): Promise<Outcome> {
  const outcome: Outcome = { code: null, stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => {
    outcome.stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    outcome.stderr += chunk;
  });
  [outcome.code] = await once(child, "close");
  return outcome;
}

/**
 * Ends a child with the test, if it still runs, and waits for its end: it may write into folders to be removed next.
 */
export function endWithTest<Child extends ChildProcess>(child: Child): Child {
  onTestFinished(() => endNow(child));
  return child;
}

/** The same for one that takes away what it has made, and ends others, when it is interrupted. */
export function askToEndWithTest<Child extends ChildProcess>(child: Child): Child {
  onTestFinished(async () => {
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    child.kill("SIGINT");
    await pollUntil(hasEnded, { what: "its end" }).finally(() => endNow(child));
  });
  return child;
}

/** Kills a child, if it still runs, and waits for its end. */
export async function endNow(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** The same for any daemon that the index has by then. */
export function endDaemonWithTest(location: IndexLocation): void {
  const hasEnded = (): boolean => {
    const pid = askDaemon(location)?.pid;
    if (pid !== undefined && isAlive(pid)) process.kill(pid, "SIGKILL");
    // A daemon that is just starting does not tell its process id yet.
    return !isDaemonRunning(location);
  };
  onTestFinished(async () => void (await pollUntil(hasEnded, { what: "the daemon's end" })));
}
