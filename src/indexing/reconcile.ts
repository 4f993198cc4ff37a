import type { DirectoryCache } from "../files/directory-cache.ts";
import type { Unseen } from "../files/locate.ts";
import { type IsExcluded, isArrayFileName, isWithinAny, NOTHING_EXCLUDED } from "../files/session-path.ts";
import { sameStat } from "../files/stat.ts";
import type { Database } from "../store/native.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import type { FileIndexer } from "./index-file.ts";
import { KnownFiles } from "./known-files.ts";
import { fateOf } from "./missing-files.ts";
import { removeAll } from "./remove-files.ts";
import { type Due, excludedAmong, type Recent, type Scan, scanRoots } from "./scan.ts";
import type { FileTrouble } from "./sync-report.ts";
import { type MovedTo, moveFile } from "./table-writers.ts";

export interface ReconcileOptions {
  rebuild?: boolean;
  isExcluded?: IsExcluded;
  recent?: Recent | undefined;
  scan?: Scan | undefined;
  directories?: DirectoryCache | null;
}

/** What is left to do after a scan, and what it came to. */
export interface Reconciled {
  seen: number;
  /** Newest first. */
  due: Due[];
  /** How many files, those of scans included that did not come to their end. */
  removed: number;
  issues: FileTrouble[];
  unseen: Unseen;
}

/**
 * Brings the rows in line with one scan, as far as that needs no reading: those of files that are gone, have moved or
 * must not be in the index.
 */
export class Reconciler {
  readonly #database: Database;
  readonly #indexer: FileIndexer;
  readonly #roots: string[];
  readonly #options: ReconcileOptions;
  /** Used once: it ages. */
  #scan: Scan | undefined;
  #issues: FileTrouble[] = [];
  #removed = 0;

  constructor(database: Database, indexer: FileIndexer, roots: string[], options: ReconcileOptions) {
    this.#database = database;
    this.#indexer = indexer;
    this.#roots = roots;
    this.#options = options;
    this.#scan = options.scan;
  }

  /** May be called again after it has failed. @throws SQLite's errors (`SQLITE_BUSY` when another process is writing) */
  reconcile(): Reconciled {
    this.#issues = [];
    if (this.#options.rebuild) this.#empty();
    const scan = this.#scanRoots();
    const { seen, due, missingRoots, unreadable, hasLinks } = scan;
    for (const { path, code } of unreadable) this.#noteIssue(path, "unreadable", code);
    this.#reconcileMissing(scan);
    due.sort((a, b) => b.mtimeMs - a.mtimeMs);
    const unseen = { missingRoots, unreadable, hasLinks };
    return { seen, due, removed: this.#removed, issues: this.#issues, unseen };
  }

  #empty(): void {
    this.#indexer.transaction(() => {
      this.#removeAll(KnownFiles.load(this.#database).among((path) => this.#isInRoots(path)));
    });
  }

  /** What is excluded is removed, however much it is: the user has asked for it. */
  #scanRoots(): Scan {
    const { isExcluded = NOTHING_EXCLUDED, rebuild } = this.#options;
    const given = this.#scan;
    this.#scan = undefined;
    const scanNow = (): Scan => scanRoots(this.#database, this.#roots, this.#options);
    const scan = rebuild || given === undefined ? scanNow() : given;
    const excluded = excludedAmong(scan.known, isExcluded);
    if (excluded.length === 0) return scan;
    this.#removed += this.#indexer.transaction(() => this.#removeAll(excluded));
    return scanNow();
  }

  #removeAll(cursors: readonly Cursor[]): number {
    return this.#remove(cursors.filter((cursor) => this.#isTheSame(cursor)));
  }

  /** Moves and removes the rows of files that are no longer where they were. */
  #reconcileMissing(scan: Scan): void {
    const fate = fateOf(scan, this.#roots);
    const moves = fate.moved;
    const removals = this.#options.rebuild ? [...fate.gone, ...fate.vanished] : fate.gone;
    if (!this.#options.rebuild) {
      for (const { path } of fate.vanished) this.#noteIssue(path, "vanished", "most files were gone at once");
    }
    // They are still there: however many they are, it is no accident.
    for (const [cursor, { realPath }] of moves) {
      if (isReadAlike(cursor, realPath)) continue;
      moves.delete(cursor);
      removals.push(cursor);
    }
    if (moves.size + removals.length === 0) return;
    this.#removed += this.#indexer.transaction(() => {
      // Another process may have done the same since the scan, or met a file there again.
      for (const [cursor, file] of moves) if (this.#isAsSeen(cursor)) this.#move(cursor, file);
      return this.#remove(removals.filter((cursor) => this.#isAsSeen(cursor)));
    });
  }

  #isInRoots(path: string): boolean {
    return isWithinAny(this.#roots, path);
  }

  /** Whether a file's rows are still its own: numbers of files that are removed are given to others. */
  #isTheSame({ realPath, fileId }: Cursor): boolean {
    return this.#indexer.tools.cursors.load(realPath)?.fileId === fileId;
  }

  /** Whether the index still has of a file what it had at the scan. */
  #isAsSeen({ realPath, fileId, path, stat, generation }: Cursor): boolean {
    const now = this.#indexer.tools.cursors.load(realPath);
    if (now?.fileId !== fileId || now.path !== path) return false;
    return now.generation === generation && sameStat(now.stat, stat);
  }

  /** The rows stay; whether the content is still the same is found out when the file is read. */
  #move(cursor: Cursor, to: MovedTo): void {
    const { fileId } = cursor;
    const there = this.#indexer.tools.cursors.load(to.realPath);
    // Another process has read it as a new file.
    if (there !== null && there.fileId !== fileId) this.#remove([cursor]);
    else moveFile(this.#indexer.tools, fileId, to);
  }

  /** Returns how many these are. */
  #remove(cursors: readonly Cursor[]): number {
    const ids = cursors.map(({ fileId }) => fileId);
    removeAll(this.#indexer.tools.writers, ids);
    return ids.length;
  }

  #noteIssue(path: string, kind: FileTrouble["kind"], detail: string): void {
    this.#issues.push({ path, kind, detail });
  }
}

/** Whether the bytes mean the same under the new name: a `.json` file is read as one array, a `.jsonl` file by lines. */
function isReadAlike({ realPath }: Cursor, newPath: string): boolean {
  return isArrayFileName(realPath) === isArrayFileName(newPath);
}
