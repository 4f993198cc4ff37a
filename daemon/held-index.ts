import { renameSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type Index, type IndexLocation, openIndex } from "../src/db/open.ts";
import type { IsExcluded } from "../src/file/exclude.ts";
import { Ingest } from "../src/sync/sync-file.ts";
import type { Clock } from "./clock.ts";
import { Looker } from "./look.ts";

/** Shorter than the two seconds in which the daemon promises to end. */
const BUSY_TIMEOUT_MS = 1000;

/** An open index with its writer, and which files it is: they may be unlinked or replaced while they are open. */
export class HeldIndex {
  readonly index: Index;
  readonly ingest: Ingest;
  readonly looker: Looker;
  readonly #identity: string;

  /** @throws SessionDbError as `openIndex` */
  constructor(location: IndexLocation, clock: Clock, isExcluded?: IsExcluded) {
    this.index = openIndex(location, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      // The full text too, so that both files are there to be compared.
      this.index.search.prepare("SELECT 1").get();
      this.#identity = identityOf(location);
      this.ingest = new Ingest(this.index.database, clock.wall);
    } catch (error) {
      this.index.close();
      throw error;
    }
    this.looker = new Looker(this.ingest, clock, isExcluded);
  }

  /** Whether other files, or none, are where the open ones were. */
  isReplaced(): boolean {
    return identityOf(this.index.location) !== this.#identity;
  }

  /** The newest files written since `time` (Unix ms) that nothing is known to be wrong with: at most 300. */
  writtenSince(time: number): string[] {
    const recent = this.index.database.prepare(RECENT).pluck();
    return recent.all(time) as string[];
  }

  /** Gives back the memory that much work has filled. */
  shrink(): void {
    this.index.database.pragma("shrink_memory");
  }

  close(): void {
    this.index.close();
  }
}

/** Limited, because a store that was just copied is all new, and idle means idle. */
const RECENT = `SELECT path FROM files WHERE mtime_ms > ? AND status IN ('session', 'empty', 'not_session')
  ORDER BY mtime_ms DESC LIMIT 300`;

/** SQLite locks are lost when a file is opened and closed by other means; a stat is safe. */
function identityOf({ indexPath, searchPath }: IndexLocation): string {
  return [indexPath, searchPath]
    .map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined ? "none" : `${stats.dev}:${stats.ino}`;
    })
    .join(" ");
}

/** Moves a damaged index out of the way; the next opening makes a new one from the session files. */
export function putAside(location: IndexLocation): void {
  for (const path of [location.indexPath, location.searchPath]) {
    for (const suffix of ["", "-wal", "-shm"]) {
      if (statSync(path + suffix, { throwIfNoEntry: false }) === undefined) continue;
      renameSync(path + suffix, `${path}.damaged${suffix}`);
    }
  }
}

const LEAST_FREE_BYTES = 256 * 1024 * 1024;
const LEAST_FREE_SHARE = 0.02;

/** Whether so little room is left where the index is that others need it more. */
export function isDiskFull(location: IndexLocation): boolean {
  const { bavail, blocks, bsize } = statfsSync(dirname(location.indexPath));
  return bavail * bsize < Math.max(LEAST_FREE_BYTES, blocks * bsize * LEAST_FREE_SHARE);
}
