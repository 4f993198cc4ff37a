import type { Config } from "../config/config.ts";
import type { SyncProgress } from "../runtime/observer.ts";
import type { PurgeProgress } from "../search/purge.ts";
import type { Note } from "./notes.ts";

/** What an application hands in: here is no terminal, no command line and no clock of its own. */
export interface ApiContext {
  config: Config;
  /** Milliseconds since some moment. This clock is never set and never goes back. */
  clock: () => number;
  /** Runs work that the signal ends between two of its steps; other work may be ended at once. */
  interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Begins to show how far long work has come. */
  progress: () => Promise<ProgressView>;
  /** Is told what an answer lacks, and what was done in another way than asked. */
  note: (note: Note) => void;
  /** How the daemon is asked whether the index is current: the folder of its socket, and how many ms it is given. */
  daemon: { runtimeDir: string | undefined; patienceMs: number | undefined };
}

/** Shows the progress of work until `stop`. */
export interface ProgressView {
  /** Takes in how far the work has come; `draw` shows it. */
  update(report: SyncProgress | PurgeProgress): void;
  /** To be called where the work pauses. */
  draw(): Promise<void>;
  stop(): void;
}
