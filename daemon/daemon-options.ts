import type { IsExcluded } from "../src/file/exclude.ts";
import type { IndexLocation } from "../src/store/location.ts";
import type { WatchListeners } from "./components/folder-watches.ts";
import type { Roots } from "./components/roots.ts";
import type { Clock, Intervals } from "./components/scheduler.ts";
import type { Watcher } from "./components/watcher.ts";
import type { Log } from "./control/log.ts";
import type { DaemonReport } from "./control/status-file.ts";
import type { FullText } from "./full-text.ts";
import type { ReadingJournal } from "./journal.ts";

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
