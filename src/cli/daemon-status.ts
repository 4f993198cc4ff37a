import { hears } from "../../daemon/control.ts";
import { askDaemon } from "../../daemon/lease.ts";
import type { DaemonState, DaemonStatus } from "../../daemon/status-file.ts";
import type { IndexLocation } from "../db/open.ts";

/** What is known about the daemon of an index, key for key as `--json` prints it. */
export interface DaemonFacts {
  running: boolean;
  pid: number | null;
  version: string | null;
  startedAt: string | null;
  state: DaemonState | null;
  degraded: string | null;
  roots: string[];
  watches: number;
  queue: number;
  progress: DaemonStatus["progress"];
  searchQueue: number;
  lastSyncAt: string | null;
}

const NOT_RUNNING: DaemonFacts = {
  running: false,
  pid: null,
  version: null,
  startedAt: null,
  state: null,
  degraded: null,
  roots: [],
  watches: 0,
  queue: 0,
  progress: null,
  searchQueue: 0,
  lastSyncAt: null,
};

/** A daemon of another index in the same folder is not this one's. @throws SessionDbError `io` */
export function readDaemonStatus(location: IndexLocation): DaemonFacts {
  const status = askDaemon(location);
  if (status === null || status.indexPath !== location.indexPath) return NOT_RUNNING;
  return factsOf(status);
}

const DEAF =
  "it does not answer: it waits for a file system or a disk, was stopped, or gets no processor time; sessiondb daemon stop ends it";

/** The same, and whether what it says is still so: it is asked, which may take three seconds. @throws SessionDbError `io` */
export async function hearDaemonStatus(location: IndexLocation): Promise<DaemonFacts> {
  const status = askDaemon(location);
  if (status === null || status.indexPath !== location.indexPath) return NOT_RUNNING;
  if (await hears(status, location)) return readDaemonStatus(location);
  return { ...factsOf(status), state: "degraded", degraded: DEAF };
}

function factsOf(status: DaemonStatus): DaemonFacts {
  const { indexPath: _indexPath, saidAt: _saidAt, ...facts } = status;
  // A daemon of an earlier version says less.
  return { ...NOT_RUNNING, ...facts, running: true };
}
