import type { FolderListings } from "../files/directory-cache.ts";
import { type IsExcluded, NOTHING_EXCLUDED } from "../files/exclude.ts";
import type { Unseen } from "../files/locate.ts";
import { isArrayFileName, isWithinAny } from "../files/session-path.ts";
import { sameStat } from "../files/stat.ts";
import type { Database } from "../store/native.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import type { Ingest } from "./index-file.ts";
import { KnownFiles } from "./known-files.ts";
import { fateOf } from "./missing-files.ts";
import { forgetAll } from "./remove-files.ts";
import { type Due, excludedAmong, type LookAround, lookAround, type Recent } from "./scan.ts";
import type { FileTrouble } from "./sync-report.ts";
import { type MovedTo, moveFile } from "./table-writers.ts";

export interface SettleOptions {
  rebuild?: boolean;
  isExcluded?: IsExcluded;
  recent?: Recent | undefined;
  look?: LookAround | undefined;
  listings?: FolderListings | null;
}

/** What is left to do after a look, and what it came to. */
export interface Settled {
  seen: number;
  /** Newest first. */
  due: Due[];
  /** How many files, those of looks included that did not come to their end. */
  removed: number;
  troubles: FileTrouble[];
  unseen: Unseen;
}

/**
 * Looks at everything below the roots and settles what needs no reading: rows of files that are gone, have moved or
 * must not be in the index.
 */
export class Settlement {
  readonly #database: Database;
  readonly #ingest: Ingest;
  readonly #roots: string[];
  readonly #options: SettleOptions;
  /** Used once: it ages. */
  #look: LookAround | undefined;
  #troubles: FileTrouble[] = [];
  #removed = 0;

  constructor(database: Database, ingest: Ingest, roots: string[], options: SettleOptions) {
    this.#database = database;
    this.#ingest = ingest;
    this.#roots = roots;
    this.#options = options;
    this.#look = options.look;
  }

  /** May be called again after it has failed. @throws SQLite's errors (`SQLITE_BUSY` when another process is writing) */
  settle(): Settled {
    this.#troubles = [];
    if (this.#options.rebuild) this.#empty();
    const look = this.#lookAround();
    const { seen, due, missingRoots, unreadable, hasLinks } = look.survey;
    for (const { path, code } of unreadable) this.#trouble(path, "unreadable", code);
    this.#settleDisappeared(look);
    due.sort((a, b) => b.mtimeMs - a.mtimeMs);
    const unseen = { missingRoots, unreadable, hasLinks };
    return { seen, due, removed: this.#removed, troubles: this.#troubles, unseen };
  }

  #empty(): void {
    this.#ingest.transaction(() => {
      this.#forgetAll(KnownFiles.load(this.#database).among((path) => this.#isInRoots(path)));
    });
  }

  /** What is excluded is removed, however much it is: the user has asked for it. */
  #lookAround(): LookAround {
    const { isExcluded = NOTHING_EXCLUDED, rebuild } = this.#options;
    const given = this.#look;
    this.#look = undefined;
    const lookNow = (): LookAround => lookAround(this.#database, this.#roots, this.#options);
    const look = rebuild || given === undefined ? lookNow() : given;
    const excluded = excludedAmong(look.known, isExcluded);
    if (excluded.length === 0) return look;
    this.#removed += this.#ingest.transaction(() => this.#forgetAll(excluded));
    return lookNow();
  }

  #forgetAll(cursors: readonly Cursor[]): number {
    return this.#forget(cursors.filter((cursor) => this.#isTheSame(cursor)));
  }

  /** Moves and removes the rows of files that are no longer where they were. */
  #settleDisappeared(look: LookAround): void {
    const fate = fateOf(look, this.#roots);
    const moves = fate.moved;
    const removals = this.#options.rebuild ? [...fate.gone, ...fate.vanished] : fate.gone;
    if (!this.#options.rebuild) {
      for (const { path } of fate.vanished) this.#trouble(path, "vanished", "most files were gone at once");
    }
    // They are still there: however many they are, it is no accident.
    for (const [cursor, { realPath }] of moves) {
      if (isReadAlike(cursor, realPath)) continue;
      moves.delete(cursor);
      removals.push(cursor);
    }
    if (moves.size + removals.length === 0) return;
    this.#removed += this.#ingest.transaction(() => {
      // Another process may have settled the same since the look, or met a file there again.
      for (const [cursor, file] of moves) if (this.#isAsSeen(cursor)) this.#move(cursor, file);
      return this.#forget(removals.filter((cursor) => this.#isAsSeen(cursor)));
    });
  }

  #isInRoots(path: string): boolean {
    return isWithinAny(this.#roots, path);
  }

  /** Whether a file's rows are still its own: numbers of files that are forgotten are given to others. */
  #isTheSame({ realPath, fileId }: Cursor): boolean {
    return this.#ingest.tools.cursors.load(realPath)?.fileId === fileId;
  }

  /** Whether the index still has of a file what it had at the look. */
  #isAsSeen({ realPath, fileId, path, stat, generation }: Cursor): boolean {
    const now = this.#ingest.tools.cursors.load(realPath);
    if (now?.fileId !== fileId || now.path !== path) return false;
    return now.generation === generation && sameStat(now.stat, stat);
  }

  /** The rows stay; whether the content is still the same is found out when the file is read. */
  #move(cursor: Cursor, to: MovedTo): void {
    const { fileId } = cursor;
    const there = this.#ingest.tools.cursors.load(to.realPath);
    // Another process has read it as a new file.
    if (there !== null && there.fileId !== fileId) this.#forget([cursor]);
    else moveFile(this.#ingest.tools, fileId, to);
  }

  /** Returns how many these are. */
  #forget(cursors: readonly Cursor[]): number {
    const ids = cursors.map(({ fileId }) => fileId);
    forgetAll(this.#ingest.tools.stores, ids);
    return ids.length;
  }

  #trouble(path: string, kind: FileTrouble["kind"], detail: string): void {
    this.#troubles.push({ path, kind, detail });
  }
}

/** Whether the bytes mean the same under the new name: a `.json` file is read as one array, a `.jsonl` file by lines. */
function isReadAlike({ realPath }: Cursor, newPath: string): boolean {
  return isArrayFileName(realPath) === isArrayFileName(newPath);
}
