import { statSync } from "node:fs";
import { dirname } from "node:path";
import { SessionDbError, unlessUnreadable } from "../../src/errors.ts";
import type { IsExcluded } from "../../src/files/session-path.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import type { Journal } from "../../src/runtime/observer.ts";
import { DAEMON_CACHE_KIB } from "../../src/store/connection.ts";
import {
  DATABASES,
  filesAt,
  type IndexFiles,
  type IndexLocation,
  isSameFile,
} from "../../src/store/location.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { dataVersion } from "../../src/store/statements.ts";
import type { FileColumns } from "../../src/store/tables/file-columns.ts";
import { FileSync } from "./file-sync.ts";
import type { Clock } from "./scheduler.ts";

/**
 * While SQLite waits for a lock, the whole thread stands still and hears no signal; but the daemon promises to end within
 * two seconds. What is still locked after this time is tried again a moment later, for as long as it takes.
 */
export const DAEMON_BUSY_TIMEOUT_MS = 1000;

export interface IndexHandleOptions {
  clock: Clock;
  journal: Journal | null;
  isExcluded: IsExcluded;
  roots: readonly string[];
}

/** An open index with its writer, and the identity of its files: those may be deleted or replaced while they are open. */
export class IndexHandle {
  readonly index: Index;
  readonly indexer: FileIndexer;
  readonly fileSync: FileSync;
  readonly files: IndexFiles;
  /**
   * What the next sweep compares the files with, unless something is written until then. Held here and never read:
   * `fileColumnsOf` keeps them weakly, and the daemon collects its garbage after sweeps.
   */
  columns: FileColumns | null = null;
  /** The write-ahead logs. If others find other logs, or none, they do not see what was committed last. */
  readonly #logs: IndexFiles;

  /** @throws SessionDbError as `openIndex`, which makes a folder that is missing, but none for it to lie in */
  constructor(location: IndexLocation, { clock, journal, isExcluded, roots }: IndexHandleOptions) {
    assertPlace(location);
    this.index = openIndex(location, { busyTimeoutMs: DAEMON_BUSY_TIMEOUT_MS, cacheKiB: DAEMON_CACHE_KIB });
    try {
      // The full text too, so that both files are there to be compared.
      this.index.search.prepare("SELECT 1").get();
      this.files = filesAt(location);
      this.#logs = filesAt(logsOf(location));
      this.indexer = new FileIndexer(this.index.database, { now: clock.wall, journal });
    } catch (error) {
      this.index.close();
      throw error;
    }
    this.fileSync = new FileSync(this.indexer, clock, isExcluded, roots);
  }

  /** Whether other files, or none, are where the open ones were, or a program of another version has made them its own. */
  isReplaced(): boolean {
    const logs = filesAt(logsOf(this.index.location));
    const areLogsInPlace = DATABASES.every(
      // Where the file system allows no write-ahead log, none can be lost.
      (which) => this.#logs[which] === null || isSameFile(logs[which], this.#logs[which]),
    );
    return this.index.isReplaced() || !areLogsInPlace || !this.index.isCurrent();
  }

  /** A number that changes when somebody else writes to the index. */
  commits(): number {
    return dataVersion(this.index.database);
  }

  /** Gives back the memory that much work has filled. */
  shrink(): void {
    for (const database of [this.index.database, this.index.search]) database.pragma("shrink_memory");
    this.indexer.tools.reader.release();
  }

  close(): void {
    this.index.close();
  }
}

function logsOf({ indexPath, searchPath }: IndexLocation): IndexLocation {
  return { indexPath: `${indexPath}-wal`, searchPath: `${searchPath}-wal` };
}

/** @throws SessionDbError `io` where the parent of the index's folder has been moved away, as to another disk */
function assertPlace({ indexPath }: IndexLocation): void {
  const place = agentFolderOf(indexPath);
  if (isMissing(place)) throw new SessionDbError("io", `there is no folder ${place}`);
}

/**
 * The parent of the index's folder, usually pi's agent directory. If it is missing, people may have moved it with
 * everything in it and be about to put a link in its place: a new folder there would be in their way.
 */
export function agentFolderOf(indexPath: string): string {
  return dirname(dirname(indexPath));
}

/** Whether nothing is there. What cannot be looked at counts as being there. */
export function isMissing(path: string): boolean {
  return unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }) === undefined) ?? false;
}
