import type { DirectoryCache } from "../files/directory-cache.ts";
import type { Unseen } from "../files/locate.ts";
import type { IsExcluded } from "../files/session-path.ts";
import { type StopSignal, timeUp } from "../runtime/cancellation.ts";
import { GarbageBound } from "../runtime/garbage.ts";
import type { SweepProgress, SyncProgress } from "../runtime/observer.ts";
import type { Index } from "../store/open.ts";
import type { StepResult } from "./file-step.ts";
import { FileIndexer, type FileOutcome } from "./index-file.ts";
import { knownIssues } from "./known-issues.ts";
import { Reconciler } from "./reconcile.ts";
import type { Due, Recent, Scan } from "./scan.ts";
import type { FileTrouble, SyncReport } from "./sync-report.ts";
import type { TextSink } from "./text-sink.ts";

export interface SyncRunOptions {
  /** Remove the sessions below the roots first and read every file again. */
  rebuild?: boolean;
  /** What is never indexed; what the index has of it is removed. Answers at once: a promise is no answer. */
  isExcluded?: IsExcluded;
  onProgress?: (progress: SyncProgress) => void;
  /** Unix ms, as the file system's clock says it. */
  now?: () => number;
  /** For those who have scanned the roots a moment ago, in the same way. @internal */
  scan?: Scan;
  /** @internal */
  recent?: Recent;
  /** Of this look at everything, for those who look again and again. @internal */
  directories?: DirectoryCache | null;
  /** Given the texts of what is read, unless `ingest` is given. @internal */
  texts?: TextSink;
  /** What writes the index, for those who have one open already. @internal */
  indexer?: FileIndexer;
}

export interface SyncResult extends SyncReport {
  /**
   * False when it was stopped before the end, or some file is just being rewritten; the next sync goes on from there.
   */
  complete: boolean;
  /** Bytes of session files that are not in the index yet. */
  behindBytes: number;
  /** Files that were not taken in, or not wholly. */
  troubles: FileTrouble[];
}

/** Files are taken together in one transaction up to this many bytes, to spare small files a commit each. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 500;
/** How long files that are just being rewritten are waited for. */
const IN_FLUX_MS = 5500;
/** Between two looks at them. */
export const LOOK_AGAIN_MS = 25;

/** One sync of everything, in steps short enough to do something else in between. */
export class SyncRun {
  readonly #indexer: FileIndexer;
  readonly #roots: string[];
  readonly #options: SyncRunOptions;
  /** Steady ms. */
  readonly #startedAt = performance.now();
  readonly #report: SyncReport;
  readonly #issues: FileTrouble[] = [];
  readonly #reconciler: Reconciler;
  /** Newest first; null until the roots have been walked. */
  #due: Due[] | null = null;
  #unseen: Unseen | null = null;
  #totalBytes = 0;
  #totalFiles = 0;
  #bytesDone = 0;
  /** Files that were just being rewritten. */
  readonly #inFlux: Due[] = [];
  /** Files with more to read of which something was taken in. */
  readonly #begun = new Set<Due>();
  readonly #garbage = new GarbageBound();

  constructor(index: Index, roots: string[], options: SyncRunOptions = {}) {
    const now = options.now ?? Date.now;
    this.#indexer = options.indexer ?? new FileIndexer(index.database, { now, texts: options.texts });
    this.#roots = roots;
    this.#options = options;
    this.#reconciler = new Reconciler(index.database, this.#indexer, roots, options);
    this.#report = {
      files: { seen: 0, unchanged: 0, indexed: 0, removed: 0, notSessions: 0, failed: 0 },
      entries: { added: 0, malformed: 0 },
      bytesRead: 0,
      durationMs: 0,
    };
  }

  /** Does one step, at most one transaction of about 4 MB. Returns whether there is more to do. */
  step(): boolean {
    this.#garbage.check();
    if (this.#due === null) this.#due = this.#reconcile();
    else if (this.#due.length > 0) this.#readBatch(this.#due);
    this.#options.onProgress?.({ phase: "files", done: this.#bytesDone, total: this.#totalBytes });
    return this.#due.length > 0;
  }

  /** Files that were not read, because they are just being rewritten. */
  get restless(): string[] {
    return this.#inFlux.map(({ path }) => path);
  }

  /** The next steps are for those that were in flux. False when there are none, or they were waited for long enough. */
  lookAgain(): boolean {
    if (this.#inFlux.length === 0 || performance.now() - this.#startedAt > IN_FLUX_MS) return false;
    for (const file of this.#inFlux.splice(0)) {
      this.#bytesDone -= file.bytes;
      this.#due?.push(file);
    }
    return true;
  }

  /** How much was read of the files that have to be read; null before it is known which. */
  progress(): SweepProgress | null {
    if (this.#due === null) return null;
    return {
      filesDone: this.#totalFiles - this.#due.length,
      filesTotal: this.#totalFiles,
      bytesDone: Math.min(this.#bytesDone, this.#totalBytes),
      bytesTotal: this.#totalBytes,
    };
  }

  /**
   * Whether it saw everything below the roots, met nothing that has other names elsewhere, and keeps nothing that is gone.
   * False before the roots have been scanned.
   */
  get sawAll(): boolean {
    if (this.#unseen === null || this.#issues.some(({ kind }) => kind === "vanished")) return false;
    const { missingRoots, unreadable, hasLinks } = this.#unseen;
    return missingRoots.length + unreadable.length === 0 && !hasLinks;
  }

  result(): SyncResult {
    return {
      ...structuredClone(this.#report),
      durationMs: Math.round(performance.now() - this.#startedAt),
      complete: this.#due !== null && this.#due.length + this.#inFlux.length === 0,
      behindBytes: Math.max(0, this.#totalBytes - this.#bytesDone),
      troubles: [...this.#issues, ...knownIssues(this.#indexer.tools.cursors, this.#roots)],
    };
  }

  /** Scans the roots and does what needs no reading. */
  #reconcile(): Due[] {
    const { seen, due, removed, issues, unseen } = this.#reconciler.reconcile();
    const { files } = this.#report;
    files.seen = seen;
    files.unchanged = seen - due.length;
    files.removed = removed;
    for (const issue of issues) this.#issues.push(issue);
    this.#unseen = unseen;
    this.#totalBytes = due.reduce((sum, file) => sum + file.bytes, 0);
    this.#totalFiles = due.length;
    return due;
  }

  #readBatch(due: Due[]): void {
    const results = this.#indexer.batch(() => this.#steps(due));
    for (const [place, result] of results.entries()) {
      const file = due[place];
      if (file !== undefined) this.#account(file, result);
    }
    due.splice(0, results.length - (results.at(-1)?.more ? 1 : 0));
  }

  /** Does one step for each of the first files, for as many as belong into one transaction; returns their outcomes. */
  #steps(due: readonly Due[]): FileOutcome[] {
    const results: FileOutcome[] = [];
    let bytes = 0;
    for (const { path, realPath } of due) {
      const result = this.#indexer.step({ path, realPath });
      results.push(result);
      bytes += "bytesRead" in result ? result.bytesRead : 0;
      // A step of a large file is work enough for one transaction, even if it has read nothing new.
      if (result.more || results.length === BATCH_FILES || bytes >= BATCH_BYTES) break;
    }
    return results;
  }

  /** Notes what a step did. */
  #account(file: Due, result: FileOutcome): void {
    const { files, entries } = this.#report;
    if (!("bytesRead" in result)) {
      if (result.outcome === "in_flux") this.#inFlux.push(file);
      else files.failed++;
      this.#bytesDone += file.bytes;
      return;
    }
    const { bytesRead, outcome, more } = result;
    entries.added += result.entriesAdded;
    entries.malformed += result.malformed;
    this.#report.bytesRead += bytesRead;
    this.#bytesDone += more ? bytesRead : file.bytes;
    file.bytes = Math.max(0, file.bytes - bytesRead);
    if (outcome === "indexed") this.#begun.add(file);
    if (!more) this.#count(file, outcome);
  }

  #count(file: Due, outcome: StepResult["outcome"]): void {
    const { files } = this.#report;
    const hasBegun = this.#begun.delete(file);
    // What becomes of the rows of a file that is gone is decided by the next look at everything.
    if (outcome === "gone") files.seen--;
    else if (outcome === "no_session") files.notSessions++;
    else files[hasBegun ? "indexed" : "unchanged"]++;
  }
}

export interface SyncOptions extends SyncRunOptions {
  /** Unix ms, by the clock as it is now: stop at the first step boundary after it. */
  deadlineMs?: number;
  /** Stop at the next step boundary once it is aborted. */
  signal?: StopSignal;
}

/**
 * Brings the index up to date with everything below the roots: finds the files, removes what is gone, reads what is
 * new. Synchronous, also where it waits for a file that is just being rewritten (until a quarter of a second after its
 * last write); `SyncRun` does the same step by step.
 *
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing)
 */
export function syncAll(index: Index, roots: string[], options: SyncOptions = {}): SyncResult {
  const run = new SyncRun(index, roots, options);
  const isOver = timeUp(options);
  while (!isOver()) {
    if (run.step()) continue;
    if (!run.lookAgain()) break;
    sleep(LOOK_AGAIN_MS);
  }
  return run.result();
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
