import { answerOf, hears } from "../../../daemon/control/control.ts";
import {
  askDaemon,
  daemonProcess,
  isDaemonRunning,
  isElsewhere,
  isOfIndex,
} from "../../../daemon/control/lease.ts";
import type { DaemonState, DaemonStatus } from "../../../daemon/control/status-file.ts";
import type { Config } from "../../config/config.ts";
import { SessionDbError } from "../../errors.ts";
import type { IndexLocation } from "../../store/location.ts";

/** What is known about the daemon of an index, key for key as `--json` prints it. */
export interface DaemonFacts
  extends Pick<DaemonStatus, "degraded" | "watches" | "queue" | "progress" | "searchQueue" | "lastSyncAt"> {
  running: boolean;
  /** Null also where the daemon runs in another container or on another machine, whose processes are not known here. */
  pid: number | null;
  version: string | null;
  startedAt: string | null;
  state: DaemonState | null;
  /** The roots it watches; where no daemon runs, those that one would watch. */
  roots: string[];
  /** Of its process, when it last said how it stands. */
  memoryBytes: number | null;
}

type Place = Pick<Config, "location" | "roots">;

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
  memoryBytes: null,
};

/**
 * The daemon's last status. A daemon of another index in the same folder does not count. @throws SessionDbError `io`
 */
export function readDaemonStatus({ location, roots }: Place): DaemonFacts {
  const status = askDaemon(location);
  if (status === null && isDaemonRunning(location)) return silent(location);
  if (status === null || !isOfIndex(status, location)) return { ...NOT_RUNNING, roots };
  return { ...factsOf(status), ...(isElsewhere(location) && { pid: null }) };
}

const DEAF =
  "it does not respond: it is waiting for a file system or a disk, is suspended, or gets no processor time; sessiondb daemon stop ends it";

const SILENT = "its state is unknown: it has just started, or the disk that holds the index is full";

function silent(location: IndexLocation): DaemonFacts {
  const pid = daemonProcess(location);
  const degraded = isElsewhere(location) ? SILENT : `${SILENT}; sessiondb daemon stop ends it`;
  return { ...NOT_RUNNING, running: true, pid, state: "degraded", degraded };
}

/** Asks the daemon itself for its status, as it is now, which may take three seconds. @throws SessionDbError `io` */
export async function hearDaemonStatus(place: Place): Promise<DaemonFacts> {
  const { location } = place;
  const status = await firstWord(location);
  if (status === null || !isOfIndex(status, location)) return readDaemonStatus(place);
  if (await hears(status, location)) return readDaemonStatus(place);
  return { ...factsOf(status), state: "degraded", degraded: DEAF };
}

/** The daemon's answer; null also where one runs and does not answer. */
async function firstWord(location: IndexLocation): Promise<DaemonStatus | null> {
  try {
    return await answerOf(location);
  } catch (error) {
    if (error instanceof SessionDbError && error.code === "timeout") return null;
    throw error;
  }
}

function factsOf(status: DaemonStatus): DaemonFacts {
  const { indexPath: _indexPath, saidAt: _saidAt, ...facts } = status;
  // The status of a daemon of an earlier version lacks some fields.
  return { ...NOT_RUNNING, ...facts, running: true };
}
