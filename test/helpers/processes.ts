import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { codeOf } from "../../src/errors.ts";

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

/**
 * Whether a process still runs that need not be a child of ours. One that has ended keeps its number until whoever has
 * inherited it takes notice, which in a container may be never.
 */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && stateOf(pid) !== "Z";
  } catch (error) {
    if (["ESRCH", "ENOENT"].includes(codeOf(error))) return false;
    throw error;
  }
}

/** As Linux calls it: Z for one that has ended. */
function stateOf(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Before it stands the name of the program in parentheses, which may hold any characters.
  return stat.slice(stat.lastIndexOf(")") + 2)[0];
}
