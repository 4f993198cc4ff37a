import { codeOf } from "../errors.ts";
import { EMPTY_FINGERPRINT, endsMatch } from "../files/fingerprint.ts";
import { closeFile, type OpenedFile, openSeenFile } from "../files/open-file.ts";
import type { Opened } from "../files/packed-file.ts";
import { isArrayFileName } from "../files/session-path.ts";
import { type FileStat, sameFile, sameStat, statFile } from "../files/stat.ts";
import type { Journal } from "../runtime/observer.ts";
import type { Cursor, CursorTable } from "../store/tables/cursors.ts";
import {
  finishProvisionalLine,
  type Granularities,
  mtimeIsSafe,
  type PrefixProofs,
  proofNeeded,
  type TruncationGuard,
} from "./change-detection.ts";
import { LineExtractor, type ReadingTools } from "./extract-lines.ts";
import { followIntoArchive, moveFile, type TableWriters } from "./table-writers.ts";
import type { TextSink } from "./text-sink.ts";

/** What one step did to one file. */
export interface StepResult {
  /** `indexed`: something of a session was taken in or out; `no_session`: the same of a file that holds none. */
  outcome: "unchanged" | "indexed" | "no_session" | "gone";
  /** The file has more to read. */
  more: boolean;
  bytesRead: number;
  entriesAdded: number;
  malformed: number;
}

/** The file could not be taken in; what the index has of it stays. */
export interface InFlux {
  outcome: "in_flux";
  more: false;
  code: string;
}

/** A file a step is done for. */
export interface SteppedFile {
  /** The path as it is reached through its root. */
  path: string;
  realPath: string;
}

/** The file was rewritten or replaced while it was read: what was read is thrown away. */
export class ChangedWhileRead extends Error {}

/** The places a step reads from and writes to. */
export interface StepTools extends ReadingTools {
  cursors: CursorTable;
  writers: TableWriters;
  proofs: PrefixProofs;
  truncations: TruncationGuard;
  granularities: Granularities;
  now: () => number;
  journal: Journal | null;
  /** Told of the texts of what is read; null where they are read again later. */
  texts: TextSink | null;
}

const NOTHING: StepResult = {
  outcome: "unchanged",
  more: false,
  bytesRead: 0,
  entriesAdded: 0,
  malformed: 0,
};

const BEING_REWRITTEN: InFlux = { outcome: "in_flux", more: false, code: "SHORTER" };

/**
 * Brings the index one step closer to one file: proves the Cursor, reads at most about one step's bytes and
 * moves rows and Cursor together. To be called inside a writing transaction, which the caller rolls back
 * when this throws.
 *
 * @throws ChangedWhileRead, or the file system's error when the file cannot be read
 */
export function stepFile(tools: StepTools, file: SteppedFile): StepResult | InFlux {
  const opened = openIfThere(file.realPath);
  if (opened === null) return { ...NOTHING, outcome: "gone" };
  try {
    return new FileStep(tools, opened, file).run();
  } finally {
    closeFile(opened.fd);
  }
}

/** Null also for what is gone by now: the next look at everything decides what becomes of its rows. */
function openIfThere(realPath: string): OpenedFile | null {
  try {
    return openSeenFile(realPath);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return null;
    throw error;
  }
}

class FileStep {
  readonly #tools: StepTools;
  readonly #fd: Opened;
  readonly #stat: FileStat;
  readonly #readAt: number;
  readonly #cursor: Cursor;
  /** The index has nothing of the file yet, or nothing any more. */
  #isNew: boolean;

  constructor(tools: StepTools, { fd, stat }: OpenedFile, { path, realPath }: SteppedFile) {
    this.#tools = tools;
    this.#fd = fd;
    this.#readAt = tools.now();
    this.#stat = stat;
    const known =
      tools.cursors.load(realPath) ?? followIntoArchive(tools, { path, realPath, mtimeMs: stat.mtimeMs });
    this.#isNew = known === null;
    this.#cursor = known ?? tools.cursors.create(path, realPath, this.#stat);
    if (this.#cursor.path !== path) this.#moveTo(path);
  }

  run(): StepResult | InFlux {
    const needed = { stat: this.#stat, proof: proofNeeded(this.#cursor, this.#stat) };
    if (needed.proof === "nothing") return NOTHING;
    const { proofs, longLines, journal, truncations } = this.#tools;
    if (truncations.isInQuietPeriod(this.#cursor, this.#stat, this.#readAt)) return BEING_REWRITTEN;
    const { fileId, realPath } = this.#cursor;
    journal?.begin(realPath, longLines.placeOf(this.#cursor) + proofs.placeOf(fileId));
    const proof = proofs.step(this.#fd, this.#cursor, needed);
    if (proof === "more") return { ...NOTHING, more: true };
    if (proof === "fails" || !this.#goesOn()) this.#startAgain();
    this.#recover();
    const nothingNew = this.#cursor.fingerprint.length === this.#stat.size;
    if (nothingNew || this.#cursor.status === "not_session") return this.#noteStat();
    return this.#readFromCursor();
  }

  /** The file is reached by another path now, as when its root is given through a link. */
  #moveTo(path: string): void {
    const { fileId, realPath, stat } = this.#cursor;
    this.#cursor.path = path;
    moveFile(this.#tools, fileId, { path, realPath, mtimeMs: stat.mtimeMs });
  }

  /** Whether the file can be read on after the part that is known, instead of from its beginning. */
  #goesOn(): boolean {
    const { realPath, status, fingerprint } = this.#cursor;
    // The end of an array is its closing bracket: one that has grown was written anew.
    if (isArrayFileName(realPath)) return status !== "session" || this.#stat.size === fingerprint.length;
    return finishProvisionalLine(this.#fd, this.#cursor, this.#stat);
  }

  /** The file is another one now: nothing the index has of it can be trusted. */
  #startAgain(): void {
    const { billing, families, rows } = this.#tools.writers;
    families.leaving(this.#cursor.fileId);
    billing.reassign(this.#cursor.fileId);
    rows.removeContent(this.#cursor.fileId);
    billing.sumUp();
    this.#cursor.replacesCopies = false;
    this.#cursor.generation++;
    this.#isNew = true;
    this.#beginAtZero();
  }

  #beginAtZero(): void {
    const cursor = this.#cursor;
    Object.assign(cursor, { status: "empty", offset: 0, provisionalLength: 0, lines: 0, malformedLines: 0 });
    cursor.fingerprint = EMPTY_FINGERPRINT;
  }

  /** A file that could be read no longer, and now can again, goes on from its Cursor. */
  #recover(): void {
    const cursor = this.#cursor;
    cursor.error = null;
    if (cursor.status !== "unreadable" && cursor.status !== "failed") return;
    if (this.#tools.writers.sessions.load(cursor.fileId)) cursor.status = "session";
    else this.#startAgain();
  }

  #noteStat(): StepResult {
    this.#tools.writers.sessions.date(this.#cursor.fileId, this.#stat.mtimeMs);
    this.#decideBilling(true);
    this.#save(true);
    return { ...NOTHING, outcome: this.#outcome(false) };
  }

  #readFromCursor(): StepResult {
    const cursor = this.#cursor;
    const { writers, longLines, texts } = this.#tools;
    const from = cursor.offset;
    const place = longLines.placeOf(cursor);
    const extractor = new LineExtractor(writers, cursor, texts);
    const atEnd = extractor.readOn(this.#tools, { fd: this.#fd, stat: this.#stat });
    const end = cursor.offset + cursor.provisionalLength;
    const finished = atEnd || cursor.status === "not_session";
    extractor.finish(this.#stat.mtimeMs);
    this.#decideBilling(finished);
    this.#assertUnchanged();
    this.#save(finished);
    return {
      outcome: this.#outcome(end > from),
      more: !finished,
      // Bytes that were only looked through for the end of a line count too, and each byte counts once.
      bytesRead: Math.max(0, end - place, longLines.placeOf(cursor) - place),
      entriesAdded: extractor.entriesAdded,
      malformed: extractor.malformed,
    };
  }

  #decideBilling(finished: boolean): void {
    const { billing } = this.#tools.writers;
    if (finished) billing.replaceCopies(this.#cursor);
    billing.sumUp();
  }

  #outcome(hasRead: boolean): StepResult["outcome"] {
    if (!this.#isNew && !hasRead) return "unchanged";
    return this.#cursor.status === "session" ? "indexed" : "no_session";
  }

  /**
   * Just before the commit: the bytes that were read are still there, under the path they were read from. As the file is
   * open, nobody else has its inode: what its path leads to is the same file, and one stat tells its state, too.
   */
  #assertUnchanged(): void {
    const onPath = statFile(this.#cursor.realPath);
    if (onPath === null || !sameFile(onPath, this.#stat)) throw new ChangedWhileRead();
    if (sameStat(onPath, this.#stat)) return;
    if (!endsMatch(this.#fd, this.#cursor.fingerprint)) throw new ChangedWhileRead();
  }

  /** An unfinished file is noted with the size that was read, so that the next look finds it grown. */
  #save(finished: boolean): void {
    const cursor = this.#cursor;
    cursor.stat = finished ? this.#stat : { ...this.#stat, size: cursor.fingerprint.length };
    const granularity = this.#tools.granularities.of(cursor.realPath, this.#stat.device);
    cursor.mtimeIsSafe = finished && mtimeIsSafe(this.#stat, this.#readAt, granularity);
    this.#tools.cursors.save(cursor);
  }
}
