import { type IsExcluded, NOTHING_EXCLUDED } from "../src/files/exclude.ts";
import type { FullText } from "../src/search/worker-client.ts";
import type { CrashJournal } from "../src/store/crash-journal.ts";
import type { IndexLocation } from "../src/store/location.ts";
import type { DaemonContext, DaemonEvent } from "./components/component.ts";
import type { WatchListeners } from "./components/folder-watches.ts";
import type { Watching } from "./components/root-watch.ts";
import type { Roots } from "./components/roots.ts";
import { CLOCK, type Clock, INTERVALS, type Intervals, Scheduler } from "./components/scheduler.ts";
import { type Log, SILENT } from "./control/log.ts";
import type { DaemonReport } from "./control/status-file.ts";

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
  journal?: CrashJournal;
  /** Told of each file whose rows were written or removed; of no file in particular after a look at everything. */
  onChange?: (path: string | undefined) => void;
  /** Called at every turn of the loop: something may have changed. */
  onTurn?: (report: DaemonReport) => void;
}

/** What the components share, with the defaults of what is not given. */
export function daemonContextOf(options: DaemonOptions, emit: (event: DaemonEvent) => void): DaemonContext {
  const { roots, location, clock = CLOCK, log = SILENT, random = Math.random } = options;
  const { isExcluded = NOTHING_EXCLUDED, exclude = () => [] } = options;
  const intervals = { ...INTERVALS, ...options.intervals };
  const scheduler = new Scheduler({ clock, intervals, random });
  return { roots, location, clock, log, isExcluded, exclude, intervals, scheduler, emit };
}
