import type { DaemonStatus } from "../../daemon/control/status-file.ts";
import { indexIn } from "../helpers/open-index.ts";

/** What a daemon of the index in a folder says, with nothing to do. */
export function someStatus(folder: string, pid: number): DaemonStatus {
  return {
    pid,
    version: "1.2.3",
    startedAt: "2026-11-20T12:00:00.000Z",
    state: "watching",
    degraded: null,
    roots: ["/r"],
    watches: 1,
    queue: 0,
    progress: null,
    searchQueue: 0,
    lastSyncAt: null,
    indexPath: indexIn(folder).indexPath,
  };
}
