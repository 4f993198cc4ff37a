import type { IndexLocation } from "../src/db/file-at.ts";
import type { IsExcluded } from "../src/file/exclude.ts";
import type { Clock } from "./clock.ts";
import type { WatchListeners } from "./folder-watches.ts";
import type { FullText } from "./full-text.ts";
import type { ReadingJournal } from "./journal.ts";
import type { Log } from "./log.ts";
import type { Roots } from "./roots.ts";
import type { Intervals } from "./schedule.ts";
import type { DaemonReport } from "./status-file.ts";
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
