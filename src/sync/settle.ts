import type { Database } from "../db/native.ts";
import { type IsExcluded, NOTHING_EXCLUDED } from "../file/exclude.ts";
import type { LocatedFile, Unseen } from "../file/locate.ts";
import { isWithin } from "../file/names.ts";
import type { FileTrouble } from "../query/results.ts";
import type { Cursor } from "./cursor.ts";
import { mayRemove, movesAmong } from "./disappearance.ts";
import { forgetFile } from "./forget.ts";
import { KnownFiles } from "./known-files.ts";
import { moveFile } from "./move.ts";
import { type Due, disappeared, excludedAmong, type Look, lookAround } from "./survey.ts";
import type { Ingest } from "./sync-file.ts";

export interface SettleOptions {
  rebuild?: boolean;
  isExcluded?: IsExcluded;
  onLocated?: (files: readonly LocatedFile[]) => void;
  look?: Look | undefined;
}

/** What is left to do after a look, and what it came to. */
export interface Settled {
  seen: number;
  /** Newest first. */
  due: Due[];
  /** Those of them that the index does not know. */
  added: LocatedFile[];
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
  readonly #troubles: FileTrouble[] = [];
  #removed = 0;

  constructor(database: Database, ingest: Ingest, roots: string[], options: SettleOptions) {
    this.#database = database;
    this.#ingest = ingest;
    this.#roots = roots;
    this.#options = options;
  }

  /** @throws SQLite's errors (`SQLITE_BUSY` when another process is writing) */
  settle(): Settled {
    if (this.#options.rebuild) this.#empty();
    const look = this.#lookAround();
    const { seen, due, added, missingRoots, unreadable, hasLinks } = look.survey;
    for (const { path, code } of unreadable) this.#trouble(path, "unreadable", code);
    this.#settleDisappeared(look);
    due.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
    const unseen = { missingRoots, unreadable, hasLinks };
    return { seen, due, added, removed: this.#removed, troubles: this.#troubles, unseen };
  }

  #empty(): void {
    this.#removeAll(KnownFiles.load(this.#database).among((path) => this.#isInRoots(path)));
  }

  /** What is excluded is removed, however much it is: somebody has said so. */
  #lookAround(): Look {
    const { isExcluded = NOTHING_EXCLUDED, onLocated, rebuild, look: given } = this.#options;
    const lookNow = (): Look => lookAround(this.#database, this.#roots, { isExcluded, onLocated });
    const look = rebuild || given === undefined ? lookNow() : given;
    const excluded = excludedAmong(look.known, isExcluded);
    if (excluded.length === 0) return look;
    this.#removeAll(excluded);
    this.#removed += excluded.length;
    return lookNow();
  }

  #removeAll(cursors: readonly Cursor[]): void {
    if (cursors.length === 0) return;
    this.#ingest.transaction(() => {
      for (const { fileId } of cursors) forgetFile(this.#ingest.tools.stores, fileId);
    });
  }

  /** Moves and removes the rows of files that are no longer where they were. */
  #settleDisappeared(look: Look): void {
    const { added, renamed } = look.survey;
    const gone = disappeared(look, this.#roots);
    const isInRoots = (path: string) => this.#isInRoots(path);
    const moves = new Map([...movesAmong(gone, added), ...renamed]);
    const removals = gone.filter((cursor) => !moves.has(cursor));
    if (!mayRemove(removals.length, () => look.known.count(isInRoots)) && !this.#options.rebuild) {
      for (const cursor of removals) this.#trouble(cursor.path, "vanished", "most files vanished at once");
      removals.length = 0;
    }
    if (moves.size + removals.length === 0) return;
    this.#ingest.transaction(() => {
      for (const [cursor, file] of moves) this.#move(cursor, file);
      for (const { fileId } of removals) forgetFile(this.#ingest.tools.stores, fileId);
    });
    this.#removed += removals.length;
  }

  #isInRoots(path: string): boolean {
    return this.#roots.some((root) => isWithin(root, path));
  }

  /** The rows stay; whether the content is still the same is found out when the file is read. */
  #move({ fileId }: Cursor, { path, realPath, stat }: LocatedFile): void {
    moveFile(this.#ingest.tools, fileId, { path, realPath, mtimeMs: stat.mtimeMs });
  }

  #trouble(path: string, kind: FileTrouble["kind"], detail: string): void {
    this.#troubles.push({ path, kind, detail });
  }
}
