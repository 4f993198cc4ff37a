import type { Database } from "../db/native.ts";
import type { Index } from "../db/open.ts";
import { type IsExcluded, NOTHING_EXCLUDED } from "../file/exclude.ts";
import type { LocatedFile, Unseen } from "../file/locate.ts";
import { isArrayFileName } from "../file/names.ts";
import type { FileTrouble, SyncReport } from "../query/results.ts";
import type { Cursor } from "./cursor.ts";
import { mayRemove, movesAmong, under } from "./disappearance.ts";
import { moveRows } from "./file-step.ts";
import { forgetFile } from "./forget.ts";
import { KnownFiles } from "./known-files.ts";
import { type Due, disappeared, excludedAmong, type Look, lookAround } from "./survey.ts";
import { type FileOutcome, Ingest } from "./sync-file.ts";

export interface SyncProgress {
  phase: "files" | "search";
  /** Bytes of session files for `files`, entries for `search`. */
  done: number;
  total: number;
}

export interface SyncOptions {
  /** Empty the index first and read every file again. */
  rebuild?: boolean;
  /** What is never indexed; what the index has of it is removed. */
  isExcluded?: IsExcluded;
  /** Unix ms: stop at the first step boundary after it. */
  deadlineMs?: number;
  signal?: AbortSignal;
  onProgress?: (progress: SyncProgress) => void;
  now?: () => number;
  /** Called with all files there are, once they are found. */
  onLocated?: (files: readonly LocatedFile[]) => void;
  /** For those who have looked around a moment ago, in the same way. */
  look?: Look;
  /** What writes the index, for those who have one already. */
  ingest?: Ingest;
}

/** How far a sync has come, once it has looked around. */
export interface SweepProgress {
  filesDone: number;
  filesTotal: number;
  bytesDone: number;
  bytesTotal: number;
}

export interface SyncResult extends SyncReport {
  /** False when it was stopped before the end; the next sync goes on from there. */
  complete: boolean;
  /** Bytes of session files that are not in the index yet. */
  behindBytes: number;
  troubles: FileTrouble[];
}

/** Files are taken together in one transaction up to this many bytes, to spare small files a commit each. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 500;

/**
 * Brings the index up to date with everything below the roots: finds the files, removes what is gone, reads
 * what is new. Synchronous; see `SyncRun` for doing it step by step.
 *
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing)
 */
export function syncAll(index: Index, roots: string[], options: SyncOptions = {}): SyncResult {
  const run = new SyncRun(index, roots, options);
  while (!isOver(options) && run.step());
  return run.result();
}

function isOver({ deadlineMs, signal, now = Date.now }: SyncOptions): boolean {
  return signal?.aborted === true || (deadlineMs !== undefined && now() >= deadlineMs);
}

/** One sync of everything, in steps short enough to do something else in between. */
export class SyncRun {
  readonly #database: Database;
  readonly #ingest: Ingest;
  readonly #roots: string[];
  readonly #options: SyncOptions;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #report: SyncReport;
  readonly #troubles: FileTrouble[] = [];
  /** Used for the first step only: it ages. */
  #look: Look | undefined;
  /** Newest first; null until the roots have been walked. */
  #due: Due[] | null = null;
  #unseen: Unseen | null = null;
  #totalBytes = 0;
  #totalFiles = 0;
  #bytesDone = 0;

  constructor(index: Index, roots: string[], options: SyncOptions = {}) {
    this.#now = options.now ?? Date.now;
    this.#startedAt = this.#now();
    this.#database = index.database;
    this.#ingest = options.ingest ?? new Ingest(index.database, { now: this.#now });
    this.#roots = roots;
    this.#options = options;
    this.#look = options.look;
    this.#report = {
      files: { seen: 0, unchanged: 0, indexed: 0, removed: 0, notSessions: 0, failed: 0 },
      entries: { added: 0, malformed: 0 },
      bytesRead: 0,
      durationMs: 0,
    };
  }

  /** Does one step, at most one transaction of about 4 MB. Returns whether there is more to do. */
  step(): boolean {
    if (this.#due === null) this.#due = this.#survey();
    else if (this.#due.length > 0) this.#readBatch(this.#due);
    this.#options.onProgress?.({ phase: "files", done: this.#bytesDone, total: this.#totalBytes });
    return this.#due.length > 0;
  }

  /** Of the files that have to be read; null before that is known. */
  progress(): SweepProgress | null {
    if (this.#due === null) return null;
    return {
      filesDone: this.#totalFiles - this.#due.length,
      filesTotal: this.#totalFiles,
      bytesDone: Math.min(this.#bytesDone, this.#totalBytes),
      bytesTotal: this.#totalBytes,
    };
  }

  /** Whether it saw everything there is, and nothing that has other names elsewhere. False before it has looked around. */
  get sawAll(): boolean {
    if (this.#unseen === null) return false;
    const { missingRoots, unreadable, hasLinks } = this.#unseen;
    return missingRoots.length + unreadable.length === 0 && !hasLinks;
  }

  result(): SyncResult {
    return {
      ...this.#report,
      durationMs: this.#now() - this.#startedAt,
      complete: this.#due !== null && this.#due.length === 0,
      behindBytes: Math.max(0, this.#totalBytes - this.#bytesDone),
      troubles: [...this.#troubles, ...this.#standingTroubles()],
    };
  }

  /** Looks at everything below the roots and settles what needs no reading. */
  #survey(): Due[] {
    if (this.#options.rebuild) this.#empty();
    const look = this.#lookAround();
    const { seen, due, unreadable } = look.survey;
    this.#unseen = look.survey;
    this.#report.files.seen = seen;
    this.#report.files.unchanged = seen - due.length;
    for (const { path, code } of unreadable) this.#trouble(path, "unreadable", code);
    this.#settleDisappeared(look);
    this.#totalBytes = due.reduce((sum, file) => sum + file.bytes, 0);
    this.#totalFiles = due.length;
    return due.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
  }

  #empty(): void {
    this.#look = undefined;
    this.#removeAll(KnownFiles.load(this.#database).among((path) => this.#isInRoots(path)));
  }

  /** What is excluded is removed, however much it is: somebody has said so. */
  #lookAround(): Look {
    const { isExcluded = NOTHING_EXCLUDED, onLocated } = this.#options;
    const lookNow = (): Look => lookAround(this.#database, this.#roots, { isExcluded, onLocated });
    const look = this.#look ?? lookNow();
    this.#look = undefined;
    const excluded = excludedAmong(look.known, isExcluded);
    if (excluded.length === 0) return look;
    this.#removeAll(excluded);
    this.#report.files.removed += excluded.length;
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
    this.#report.files.removed += removals.length;
  }

  #isInRoots(path: string): boolean {
    return this.#roots.some((root) => under(root, path));
  }

  /** The rows stay; whether the content is still the same is found out when the file is read. */
  #move(cursor: Cursor, file: LocatedFile): void {
    const { cursors, stores } = this.#ingest.tools;
    moveRows(cursors, stores, { ...cursor, path: file.path, stat: file.stat }, file.realPath);
  }

  #readBatch(due: Due[]): void {
    this.#ingest.transaction(() => {
      let bytes = 0;
      for (let files = 0; files < BATCH_FILES && bytes < BATCH_BYTES; files++) {
        const file = due[0];
        if (file === undefined) break;
        const result = this.#ingest.step(file.path, file.realPath);
        bytes += this.#account(file, result);
        // A step of a large file is work enough, though it may have read nothing new.
        if (result.more) break;
        due.shift();
      }
    });
  }

  /** Notes what a step did; returns the bytes it read. */
  #account(file: Due, result: FileOutcome): number {
    const { files, entries } = this.#report;
    if (!("bytesRead" in result)) {
      if (result.outcome !== "restless") files.failed++;
      this.#bytesDone += file.bytes;
      return 0;
    }
    const { bytesRead, outcome, more } = result;
    entries.added += result.entriesAdded;
    entries.malformed += result.malformed;
    this.#report.bytesRead += bytesRead;
    this.#bytesDone += more ? bytesRead : file.bytes;
    file.bytes = Math.max(0, file.bytes - bytesRead);
    if (!more) files[outcome === "indexed" ? "indexed" : "unchanged"]++;
    return bytesRead;
  }

  /** What the index knows to be wrong with files below the roots, whenever it was found out. */
  #standingTroubles(): FileTrouble[] {
    const troubles: FileTrouble[] = [];
    for (const cursor of this.#ingest.tools.cursors.troubled()) {
      if (!this.#isInRoots(cursor.path)) continue;
      const trouble = troubleOf(cursor);
      if (trouble !== null) troubles.push(trouble);
    }
    this.#report.files.notSessions = troubles.filter(({ kind }) => kind === "not_session").length;
    return troubles;
  }

  #trouble(path: string, kind: FileTrouble["kind"], detail: string): void {
    this.#troubles.push({ path, kind, detail });
  }
}

/** A file without any entry yet is no session either; other programs' `.json` files are nobody's trouble. */
function troubleOf({ path, status, error, malformedLines }: Cursor): FileTrouble | null {
  switch (status) {
    case "session":
      return malformedLines > 0 ? { path, kind: "malformed", detail: String(malformedLines) } : null;
    case "unreadable":
    case "failed":
      return { path, kind: status, detail: error ?? "" };
    case "not_session":
    case "empty":
      return isArrayFileName(path) ? null : { path, kind: "not_session", detail: "no session header" };
    default:
      return status satisfies never;
  }
}
