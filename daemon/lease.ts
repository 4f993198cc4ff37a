import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileLock, isLocked, takeLock } from "../src/db/lock.ts";
import type { IndexLocation } from "../src/db/open.ts";
import { type DaemonStatus, readStatusFile, removeStatusFile } from "./status-file.ts";

/** Those who ask whether there is a daemon hold the lock for a moment too; a starter waits that long for them. */
const WAIT_MS = 400;

/**
 * The right to be the only daemon of an index. Held as a lock that the kernel frees with the process; who
 * holds it stands in the status file, which is believed only while the lock is held.
 */
export class Lease {
  readonly folder: string;
  readonly #lock: FileLock;

  private constructor(folder: string, lock: FileLock) {
    this.folder = folder;
    this.#lock = lock;
  }

  /** Null when another daemon runs. @throws SessionDbError `io`, `native_missing` */
  static take(location: IndexLocation): Lease | null {
    const lock = takeLock(lockPathOf(location), WAIT_MS);
    if (lock === null) return null;
    const folder = dirname(location.indexPath);
    // What a holder that was killed has said is over.
    removeStatusFile(folder);
    return new Lease(folder, lock);
  }

  /** Leaves nothing behind that says a daemon runs. May be called again. */
  release(): void {
    removeStatusFile(this.folder);
    this.#lock.release();
  }
}

/** Whether a daemon of this index runs now. Writes nothing where there never was one. @throws SessionDbError `io` */
export function isDaemonRunning(location: IndexLocation): boolean {
  const path = lockPathOf(location);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  return isLocked(path);
}

/** What the running daemon says of itself; null when none runs, or it has not said anything yet. */
export function askDaemon(location: IndexLocation): DaemonStatus | null {
  if (!isDaemonRunning(location)) return null;
  return readStatusFile(dirname(location.indexPath));
}

function lockPathOf(location: IndexLocation): string {
  return join(dirname(location.indexPath), "daemon-lock.db");
}
