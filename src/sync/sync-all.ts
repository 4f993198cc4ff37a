import type { Index } from "../db/open.ts";
import { isArrayFileName } from "../file/array.ts";
import { type IsExcluded, NOTHING_EXCLUDED } from "../file/exclude.ts";
import { type LocatedFile, locateSessionFiles } from "../file/locate.ts";
import type { FileTrouble, SyncReport } from "../query/results.ts";
import { proofNeeded } from "./change.ts";
import type { Cursor, KnownFile } from "./cursor.ts";
import { mayRemove, movesAmong, renamedAmong, under } from "./disappearance.ts";
import { moveRows } from "./file-step.ts";
import { forgetFile } from "./forget.ts";
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

/** A file that has to be read, and how many bytes that is at least. */
interface Due extends LocatedFile {
  bytes: number;
}

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
  readonly #ingest: Ingest;
  readonly #roots: string[];
  readonly #options: SyncOptions;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #report: SyncReport;
  readonly #troubles: FileTrouble[] = [];
  /** Newest first; null until the roots have been walked. */
  #due: Due[] | null = null;
  #totalBytes = 0;
  #totalFiles = 0;
  #bytesDone = 0;

  constructor(index: Index, roots: string[], options: SyncOptions = {}) {
    this.#now = options.now ?? Date.now;
    this.#startedAt = this.#now();
    this.#ingest = options.ingest ?? new Ingest(index.database, { now: this.#now });
    this.#roots = roots;
    this.#options = options;
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

  result(): SyncResult {
    return {
      ...this.#report,
      durationMs: this.#now() - this.#startedAt,
      complete: this.#due !== null && this.#due.length === 0,
      behindBytes: Math.max(0, this.#totalBytes - this.#bytesDone),
      troubles: [...this.#troubles, ...this.#standingTroubles()],
    };
  }

  /** Walks the roots, compares with the Cursors and settles what needs no reading. */
  #survey(): Due[] {
    if (this.#options.rebuild) this.#empty();
    const { isExcluded = NOTHING_EXCLUDED } = this.#options;
    const located = locateSessionFiles(this.#roots, isExcluded);
    this.#options.onLocated?.(located.files);
    const known = this.#ingest.tools.cursors.known();
    this.#removeExcluded(known, isExcluded);
    const due = located.files.filter((file) => needsReading(file, known.get(file.realPath)));
    this.#report.files.seen = located.files.length;
    this.#report.files.unchanged = located.files.length - due.length;
    for (const { path, code } of located.unreadable) this.#trouble(path, "unreadable", code);
    const unknown = [...located.missingRoots, ...located.unreadable.map(({ path }) => path)];
    this.#settleDisappeared(located.files, known, unknown);
    const sized = due.map((file) => ({ ...file, bytes: missingBytes(file, known.get(file.realPath)) }));
    this.#totalBytes = sized.reduce((sum, file) => sum + file.bytes, 0);
    this.#totalFiles = sized.length;
    return sized.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
  }

  #empty(): void {
    this.#ingest.transaction(() => {
      for (const cursor of this.#ingest.tools.cursors.known().values()) {
        if (this.#roots.some((root) => under(root, cursor.path))) this.#remove(cursor);
      }
    });
  }

  /** However many they are: somebody has said so. */
  #removeExcluded(known: Map<string, KnownFile>, isExcluded: IsExcluded): void {
    if (isExcluded === NOTHING_EXCLUDED) return;
    const excluded = [...known.values()].filter(
      ({ path, realPath }) => isExcluded(path) || isExcluded(realPath),
    );
    if (excluded.length === 0) return;
    this.#ingest.transaction(() => {
      for (const cursor of excluded) this.#remove(cursor);
    });
    for (const { realPath } of excluded) known.delete(realPath);
    this.#report.files.removed += excluded.length;
  }

  /** Moves and removes the rows of files that are no longer where they were. */
  #settleDisappeared(found: LocatedFile[], known: Map<string, KnownFile>, unknown: string[]): void {
    const present = new Set(found.map((file) => file.realPath));
    const inRoots = [...known.values()].filter((cursor) =>
      this.#roots.some((root) => under(root, cursor.path)),
    );
    const gone = inRoots.filter(
      (cursor) => !present.has(cursor.realPath) && !unknown.some((place) => under(place, cursor.path)),
    );
    const added = found.filter((file) => !known.has(file.realPath));
    const moves = new Map([...movesAmong(gone, added), ...renamedAmong(found, known)]);
    const removals = gone.filter((cursor) => !moves.has(cursor));
    if (!mayRemove(removals.length, inRoots.length) && !this.#options.rebuild) {
      for (const cursor of removals) this.#trouble(cursor.path, "vanished", "most files vanished at once");
      removals.length = 0;
    }
    if (moves.size + removals.length === 0) return;
    this.#ingest.transaction(() => {
      for (const [cursor, file] of moves) this.#move(cursor, file);
      for (const cursor of removals) this.#remove(cursor);
    });
    this.#report.files.removed += removals.length;
  }

  /** The rows stay; whether the content is still the same is found out when the file is read. */
  #move(cursor: KnownFile, file: LocatedFile): void {
    const { cursors, stores } = this.#ingest.tools;
    moveRows(cursors, stores, { ...cursor, path: file.path, stat: file.stat }, file.realPath);
  }

  #remove(cursor: KnownFile): void {
    forgetFile(this.#ingest.tools.stores, cursor.fileId);
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
      if (!this.#roots.some((root) => under(root, cursor.path))) continue;
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

function needsReading(file: LocatedFile, cursor: KnownFile | undefined): boolean {
  return cursor === undefined || proofNeeded(cursor, file.stat) !== "nothing";
}

/** A guess for the progress bar: the bytes after what the index has. */
function missingBytes(file: LocatedFile, cursor: KnownFile | undefined): number {
  return Math.max(0, file.stat.size - (cursor?.fingerprint.length ?? 0));
}
