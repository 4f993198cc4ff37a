import { codeOf, isNoDescriptor, isSqliteError, isSystemError } from "../errors.ts";
import { LineReader } from "../files/lines.ts";
import { type FileStat, NO_STAT, statFile } from "../files/stat.ts";
import type { Journal } from "../runtime/observer.ts";
import { INDEX_DB, transaction } from "../store/databases.ts";
import type { Database } from "../store/native.ts";
import { type Cursor, CursorTable, isUntouched } from "../store/tables/cursors.ts";
import { Granularities, PrefixProofs, TruncationGuard } from "./change-detection.ts";
import { LongLines } from "./extract-lines.ts";
import {
  ChangedWhileRead,
  type InFlux,
  type SteppedFile,
  type StepResult,
  type StepTools,
  stepFile,
} from "./file-step.ts";
import { TableWriters } from "./table-writers.ts";
import type { TextSink } from "./text-sink.ts";

/** How often a file that keeps being rewritten while it is read is tried before it is left for the next look. */
const ATTEMPTS = 3;

export interface FileIndexerOptions {
  now?: () => number;
  journal?: Journal | null;
  proofs?: PrefixProofs;
  /** Given the texts of what is read in batches. */
  texts?: TextSink | null | undefined;
}

export type FileOutcome =
  | StepResult
  | InFlux
  /** The file could not be taken in; what the index has of it stays, and its row says why. */
  | { outcome: "unreadable" | "failed"; more: false; code: string };

/** A file has an issue in a batch that has no savepoint to go back to. */
class BatchSpoilt extends Error {}

/** The writer of the index for one connection: statements prepared once, one read buffer. */
export class FileIndexer {
  readonly tools: StepTools;
  readonly #database: Database;
  readonly #texts: TextSink | null;
  readonly #step: (file: SteppedFile) => StepResult | InFlux;
  #hasSavepoints = true;

  constructor(database: Database, options: FileIndexerOptions = {}) {
    const { now = Date.now } = options;
    this.#database = database;
    this.#texts = options.texts ?? null;
    this.tools = {
      cursors: new CursorTable(database, now),
      writers: new TableWriters(database),
      reader: new LineReader(),
      proofs: options.proofs ?? new PrefixProofs(),
      longLines: new LongLines(),
      truncations: new TruncationGuard(),
      granularities: new Granularities(),
      now,
      journal: options.journal ?? null,
      texts: null,
    };
    this.#step = database.transaction((file: SteppedFile) => stepFile(this.tools, file));
  }

  /** Runs `work` as one IMMEDIATE transaction, at whose end it is decided what depends on several files. */
  transaction<T>(work: () => T): T {
    return transaction(this.#database, INDEX_DB, () => {
      const { writers } = this.tools;
      writers.reset();
      const result = work();
      writers.decide();
      return result;
    });
  }

  /**
   * Runs steps as one such transaction; `work` may run twice. The first time it runs without savepoints, which take a
   * fifteenth of the time of writing rows. If a file has an issue, everything is rolled back and done again with
   * savepoints; texts are not handed over then, because part of them would have to be taken back.
   */
  batch<T>(work: () => T): T {
    this.#hasSavepoints = false;
    this.tools.texts = this.#texts;
    try {
      const result = this.transaction(work);
      this.#texts?.committed();
      return result;
    } catch (error) {
      this.#texts?.dropped();
      if (!(error instanceof BatchSpoilt)) throw error;
    } finally {
      this.#hasSavepoints = true;
      this.tools.texts = null;
    }
    return this.transaction(work);
  }

  /**
   * One step for one file, inside the caller's transaction: whatever goes wrong with this file is undone and
   * noted on its row, and does not concern the others.
   *
   * @throws SQLite's errors: those concern everybody
   */
  step(file: SteppedFile): FileOutcome {
    try {
      return this.#hasSavepoints ? this.#attempt(file) : stepFile(this.tools, file);
    } catch (error) {
      this.tools.writers.reset();
      if (isSqliteError(error) && !isFileFault(error)) throw error;
      if (!this.#hasSavepoints) throw new BatchSpoilt();
      if (error instanceof ChangedWhileRead) return { outcome: "in_flux", more: false, code: "CHANGING" };
      return this.#noteIssue(file.path, file.realPath, error);
    } finally {
      this.tools.journal?.end();
    }
  }

  /** Leaves a file alone until it changes, and what the index has of it as it is; `code` says why. */
  giveUp(path: string, realPath: string, code: string): void {
    this.transaction(() => this.#noteFailure(path, realPath, code));
  }

  #attempt(file: SteppedFile): StepResult | InFlux {
    for (let attempt = 1; ; attempt++) {
      try {
        // A savepoint: the caller's transaction is open.
        return this.#step(file);
      } catch (error) {
        if (!(error instanceof ChangedWhileRead) || attempt === ATTEMPTS) throw error;
        this.tools.writers.reset();
      }
    }
  }

  /** Keeps what the index has of the file. A failure of ours is not tried again before the file changes. */
  #noteIssue(path: string, realPath: string, error: unknown): FileOutcome {
    const systemCode = codeOf(error);
    // No descriptor is free just now: a moment later the file can be read.
    if (isNoDescriptor(systemCode)) return { outcome: "in_flux", more: false, code: systemCode };
    const code = systemCode || describe(error);
    if (isSystemError(error)) {
      this.#noteUnreadable(path, realPath, code);
      return { outcome: "unreadable", more: false, code };
    }
    this.#noteFailure(path, realPath, code);
    return { outcome: "failed", more: false, code };
  }

  /** Saved with a safe mtime: an equal stat is then reason enough not to try again. */
  #noteFailure(path: string, realPath: string, error: string): void {
    const { cursors } = this.tools;
    const stat = statFile(realPath);
    const cursor = cursors.load(realPath) ?? cursors.create(path, realPath, stat ?? NO_STAT);
    const mtimeIsSafe = stat !== null;
    this.#saveWithIssue({ ...cursor, status: "failed", error, mtimeIsSafe, stat: stat ?? cursor.stat });
  }

  #noteUnreadable(path: string, realPath: string, error: string): void {
    const { cursors } = this.tools;
    const cursor = cursors.load(realPath) ?? cursors.create(path, realPath, NO_STAT);
    this.#saveWithIssue({ ...cursor, status: "unreadable", error, mtimeIsSafe: false });
  }

  /** What was read of the file stays, and nobody knows whether more will be. */
  #saveWithIssue(cursor: Cursor): void {
    const { billing } = this.tools.writers;
    billing.replaceCopies(cursor);
    billing.sumUp();
    this.tools.cursors.save(cursor);
  }
}

/** A constraint that a file's content violates is that file's issue; every other SQLite error is everybody's. */
function isFileFault(error: unknown): boolean {
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/.test(codeOf(error));
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** A file as it was a moment ago, and what the index had of it then. */
export interface SeenFile extends SteppedFile {
  stat: FileStat;
  cursor: Cursor | null;
}

/**
 * Brings the index one step closer to one file. Where its stat tells that nothing has changed, that takes no transaction:
 * it is what almost every look comes to. Otherwise in one IMMEDIATE transaction, which believes nothing of what was seen
 * before it: the Cursor is loaded again, because another process may have moved it. A file that is not there is left
 * alone: `syncAll` decides about those.
 *
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing)
 */
export function indexFileStep(indexer: FileIndexer, { path, realPath, stat, cursor }: SeenFile): FileOutcome {
  if (cursor !== null && isUntouched(cursor, stat)) {
    return { outcome: "unchanged", more: false, bytesRead: 0, entriesAdded: 0, malformed: 0 };
  }
  return indexer.batch(() => indexer.step({ path, realPath }));
}
