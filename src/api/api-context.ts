import type { Config } from "../config/config.ts";
import type { ArchiveProgress, SyncProgress } from "../runtime/observer.ts";
import type { PurgeProgress } from "../search/purge.ts";
import type { Rebuilt } from "../store/quarantine.ts";

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
  update(report: SyncProgress | PurgeProgress | ArchiveProgress): void;
  /** To be called where the work pauses. */
  draw(): Promise<void>;
  stop(): void;
}

/** What the person who asks has to know; the application has the words for it. */
export type Note =
  /** A root that would look like a folder without sessions. */
  | { kind: "root"; root: string; problem: "missing" | "file" | "unreadable"; code: string }
  /** There was no folder at the path that was given for the index, and it is made. */
  | { kind: "new_folder"; path: string }
  /** A daemon was not asked, because another user could answer in its place. */
  | { kind: "stranger"; path: string; owner: number }
  /** The index is filled anew after an update, which may take minutes. */
  | { kind: "emptied" }
  /** The answer lacks what is new in session files: so many bytes, 0 where that is not known. */
  | { kind: "behind"; bytes: number }
  /** The answer lacks what is new in so many paths. */
  | { kind: "unreadable"; count: number }
  /** The answer holds so many files that are gone: a disk may just be missing. */
  | { kind: "vanished"; count: number }
  /** The full text is complete, but there was no space to merge its segments. */
  | { kind: "untidy" }
  /** What is damaged of the index was moved out of the way, and is made anew. */
  | { kind: "quarantined"; what: Rebuilt }
  /** There is no full text of the index, and it is made for this answer. */
  | { kind: "text_lost" }
  /** The index cannot be used, and nothing can be done about it: the answer was taken from the session files. */
  | { kind: "from_files"; why: string }
  /** Removed sessions, or words of them (`rows` are gone then), are still in the index. */
  | { kind: "removal_unfinished"; left: "rows" | "words"; wasInterrupted: boolean };
