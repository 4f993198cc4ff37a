import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** Ends a child with the test, if it still runs then, and waits for its end: it may write into what goes next. */
export function endWithTest<Child extends ChildProcess>(child: Child): Child {
  onTestFinished(() => endNow(child));
  return child;
}

/** Kills a child, if it still runs, and waits for its end. */
export async function endNow(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
