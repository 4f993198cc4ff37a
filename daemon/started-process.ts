import { type ChildProcess, spawn } from "node:child_process";
import type { Launch } from "./launch.ts";
import { until } from "./until.ts";

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
