import type { IndexLocation } from "../src/db/open.ts";
import type { IsExcluded } from "../src/file/exclude.ts";
import type { SweepProgress } from "../src/sync/progress.ts";
import type { Clock } from "./clock.ts";
import type { WatchListeners } from "./folder-watches.ts";
import type { FullText } from "./full-text.ts";
import type { ReadingJournal } from "./journal.ts";
import type { Log } from "./log.ts";
import type { Roots } from "./roots.ts";
import type { Intervals } from "./schedule.ts";
import type { DaemonState } from "./status-file.ts";
import type { Watcher } from "./watcher.ts";

/** What the daemon needs of a watcher. */
export type Watching = Pick<
  Watcher,
  "degraded" | "watches" | "hearsAll" | "checkRoots" | "refresh" | "close"
>;

export interface DaemonOptions {
  roots: Roots;
  location: IndexLocation;
  /** What is never indexed, as it stands at that moment. */
  isExcluded?: IsExcluded;
  /** What that leaves out, as it stands at that moment. */
  exclude?: () => readonly string[];
  log?: Log;
  clock?: Clock;
  random?: () => number;
  intervals?: Partial<Intervals>;
  watch?: (listeners: WatchListeners) => Watching;
  openFullText?: () => FullText;
  isDiskFull?: (folder: string) => boolean;
  journal?: ReadingJournal;
  /** Called at every turn of the loop: something may have changed. */
  onTurn?: (report: DaemonReport) => void;
}

/** The state of a daemon, as far as it knows that itself. */
export interface DaemonReport {
  state: DaemonState;
  degraded: string | null;
  watches: number;
  queue: number;
  /** What a look at everything has read so far; null when none is going on. */
  progress: SweepProgress | null;
  /** Entries that are not searchable yet. */
  searchQueue: number;
  /** Unix ms; null before everything has been looked at once. */
  lastSyncAt: number | null;
  /** How often everything was looked at. */
  sweeps: number;
}
