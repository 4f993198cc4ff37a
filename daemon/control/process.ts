import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf } from "../../src/errors.ts";

/** It waits for the lease for less than that, and ends at its next step if it has taken it. */
const END_MS = 2000;
/** A process that waits for a disk that does not answer cannot even be killed: then it ends some day. */
const KILL_MS = 1000;

/** A process that shall become the daemon. It outlives this one unless it is ended. */
export class StartedProcess {
  readonly #child: ChildProcess;
  #failure: string | null = null;
  #gaveWay = false;

  constructor([program, ...args]: Launch) {
    this.#child = spawn(program, args, { detached: true, stdio: "ignore", windowsHide: true });
    this.#child.on("error", (error) => {
      this.#failure = error.message;
    });
    this.#child.on("exit", (code, signal) => {
      this.#failure = `it ended with ${signal ?? `exit code ${code}`}`;
      this.#gaveWay = code === 0;
    });
    this.#child.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Why it has ended; null while it runs. */
  get failure(): string | null {
    return this.#failure;
  }

  /** It has ended without an error, as it does when it is told to, or finds another daemon. */
  get gaveWay(): boolean {
    return this.#gaveWay;
  }

  /** Ends it and waits for its end. One that does not respond is killed: every change is one transaction, so nothing is lost. */
  async end(): Promise<void> {
    if (await this.#hasEnded("SIGTERM", END_MS)) return;
    await this.#hasEnded("SIGKILL", KILL_MS);
  }

  async #hasEnded(signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
    if (this.#failure !== null) return true;
    this.#child.kill(signal);
    return until(() => this.#failure !== null, withinMs);
  }
}

/**
 * Whether a process still runs. One that has ended keeps its number until its parent asks for its exit code, which the
 * first process of a container may never do.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false;
    if (codeOf(error) !== "EPERM") throw error;
  }
  return stateOf(pid) !== "Z";
}

/** The state of a process in Linux's letters, Z for one that has ended; null where it cannot be known. */
function stateOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The state comes after the name of the program in parentheses, which may hold any characters.
    return stat.charAt(stat.lastIndexOf(")") + 2);
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes(codeOf(error))) return null;
    throw error;
  }
}

const EVERY_MS = 20;

/** Looks again and again until there is something, at most `withinMs`; gives what there is, or false. */
export async function until<T>(look: () => T | false, withinMs: number): Promise<T | false> {
  for (const giveUpAt = performance.now() + withinMs; ; await pause(EVERY_MS)) {
    const seen = look();
    if (seen !== false || performance.now() >= giveUpAt) return seen;
  }
}

/** A command line to start the daemon with: the absolute path of the program, then its arguments. */
export type Launch = readonly [program: string, ...args: string[]];

/**
 * More heap than this would be a leak: with 250,000 sessions up to 250 MB are in use. Young objects are collected at 4 MB
 * instead of 16: then a look at 20,000 files leaves 25 MB less behind, and takes no longer.
 */
export const HEAP_OPTIONS = ["--max-old-space-size=1024", "--max-semi-space-size=4"] as const;
