import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { unlessUnreadable } from "../../src/errors.ts";
import type { FileIdentity } from "../../src/files/stat.ts";
import { fileAt, type IndexLocation, isSameFile } from "../../src/store/location.ts";
import { type FileLock, isLocked, takeLock } from "../../src/store/lock.ts";
import { listsLocks, lockHolder } from "../../src/store/lock-holder.ts";
import { toStoreError } from "../../src/store/sqlite-errors.ts";
import { type DaemonStatus, readStatusFile, removeStatusFile } from "./status-file.ts";

/** How long a starter waits for a daemon that is just ending. */
export const WAIT_MS = 400;

/**
 * The right to be the only daemon of an index. Held as a lock that the kernel frees with the process; who
 * holds it stands in the status file, which is believed only while the lock is held.
 */
export class Lease {
  readonly folder: string;
  readonly #path: string;
  readonly #lock: FileLock;
  /** Which file it is that is locked: another one, or none, may be in its place. */
  readonly #identity: FileIdentity | null;

  private constructor(path: string, lock: FileLock) {
    this.folder = dirname(path);
    this.#path = path;
    this.#lock = lock;
    this.#identity = fileAt(path);
  }

  /** Null when another daemon runs. @throws SessionDbError `busy`, `io`, `native_missing` */
  static take(location: IndexLocation): Lease | null {
    const path = lockPathOf(location);
    const lock = takeLock(path, WAIT_MS);
    if (lock === null) return null;
    // A status file that is there was left by a daemon that was killed.
    removeStatusFile(dirname(path));
    return new Lease(path, lock);
  }

  /**
   * False when the locked file was deleted or replaced, or its folder can no longer be entered: then others may have the
   * lease too. One stat.
   */
  isInPlace(): boolean {
    return isSameFile(unlessUnreadable(() => fileAt(this.#path)) ?? null, this.#identity);
  }

  /** Leaves nothing behind that says a daemon runs. May be called again. */
  release(): void {
    // Otherwise the status file belongs to another holder of the lease.
    if (this.isInPlace()) removeStatusFile(this.folder);
    this.#lock.release();
  }
}

/** Whether a daemon of this index runs now. Writes nothing where there never was one. @throws SessionDbError `io` */
export function isDaemonRunning(location: IndexLocation): boolean {
  const path = lockPathOf(location);
  return isThere(path) && isLocked(path);
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A folder on the way is another user's, or is not a folder.
    throw toStoreError(error, path);
  }
}

/**
 * The process that holds the lease, whatever the status file says; null where the system does not tell.
 * @throws SessionDbError `io`
 */
export function daemonProcess(location: IndexLocation): number | null {
  const path = lockPathOf(location);
  try {
    return lockHolder(path);
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/**
 * Whether the daemon that runs is a process of another container or machine, whatever number it says it has: here it can
 * neither be asked nor ended. Never said where the system does not list locks. @throws SessionDbError `io`
 */
export function isElsewhere(location: IndexLocation): boolean {
  return listsLocks() && daemonProcess(location) === null && isDaemonRunning(location);
}

/** What the running daemon says of itself; null when none runs, or it has not said anything yet. */
export function askDaemon(location: IndexLocation): DaemonStatus | null {
  if (!isDaemonRunning(location)) return null;
  return readStatusFile(dirname(location.indexPath));
}

/**
 * Whether a daemon is that of this index: all indexes in a folder share one lock. Compared by the file's name, because a
 * container may reach the folder by another path.
 */
export function isOfIndex(status: DaemonStatus, { indexPath }: IndexLocation): boolean {
  return basename(status.indexPath) === basename(indexPath);
}

function lockPathOf(location: IndexLocation): string {
  return join(dirname(location.indexPath), "daemon-lock.db");
}
