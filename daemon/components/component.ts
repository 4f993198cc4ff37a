import type { IsExcluded } from "../../src/files/session-path.ts";
import type { IndexLocation } from "../../src/store/location.ts";
import type { Log } from "../control/log.ts";
import type { Roots } from "./roots.ts";
import type { Clock, Intervals, Scheduler } from "./scheduler.ts";

/** What has happened, as one component tells it to all. Times are steady ms. */
export type DaemonEvent =
  /** The file system tells that the session file at `path` may have changed, come or gone. */
  | { kind: "pathChanged"; path: string }
  /** The session file at `path` has to be indexed, though the file system told nothing. */
  | { kind: "pathPending"; path: string }
  /** Something has happened that names no file: only a sweep finds out what, and soon. */
  | { kind: "unclear" }
  /** Something came up that only a sweep can tell, by `by`. */
  | { kind: "sweepNeeded"; by: number }
  /** Everything below the roots is about to be looked at. */
  | { kind: "sweepStarting" }
  /** `sawAll`: nothing lies where events would not tell of a change. `inFlux`: files left alone, as they are just being rewritten. */
  | { kind: "sweepEnded"; sawAll: boolean; inFlux: readonly string[] }
  /** Rows were written or removed: what is searchable is behind. `path`: of that file; absent after a look at everything. */
  | { kind: "rowsChanged"; path?: string }
  | { kind: "indexOpened" }
  /** It is about to be closed, and will be opened anew. */
  | { kind: "indexClosing" }
  /** The full text is damaged, and nobody of ours has it open. */
  | { kind: "fullTextDamaged" };

/**
 * A part of the daemon. It is given the components that it asks, and knows nothing of those that its events reach. Events
 * are handled at once, one after the other, in the order in which the daemon lists its components.
 */
export interface Component {
  /** Begins what goes on by itself. Events may come before. */
  start?(): Promise<void>;
  handle?(event: DaemonEvent): void;
  /** Ends what is going on and gives back what is held. */
  stop?(): Promise<void> | void;
}

/** What the components of one daemon share. */
export interface DaemonContext {
  location: IndexLocation;
  roots: Roots;
  /** What is never indexed, as it stands at that moment. */
  isExcluded: IsExcluded;
  /** What that leaves out, as it stands at that moment. */
  exclude: () => readonly string[];
  clock: Clock;
  intervals: Intervals;
  scheduler: Scheduler;
  log: Log;
  emit: (event: DaemonEvent) => void;
}
