import { closeSync } from "node:fs";
import { readArrayStep } from "../file/array.ts";
import type { Granularities } from "../file/file-system.ts";
import { EMPTY_FINGERPRINT, endsMatch, extendFingerprint } from "../file/fingerprint.ts";
import type { Line, LineReader } from "../file/lines.ts";
import { isArrayFileName } from "../file/names.ts";
import { type FileStat, openRegularFile, sameFile, sameStat, statFile, statOpenFile } from "../file/stat.ts";
import { type ParsedLine, parseLine } from "../format/parse.ts";
import { isSettled, proofNeeded } from "./change.ts";
import type { Cursor, Cursors } from "./cursor.ts";
import { EntrySink, type Stores } from "./entry-sink.ts";
import { finishProvisionalLine, type PrefixProofs } from "./prefix.ts";

/** What one step did to one file. */
export interface StepResult {
  outcome: "unchanged" | "indexed" | "gone";
  /** The file has more to read. */
  more: boolean;
  bytesRead: number;
  entriesAdded: number;
  malformed: number;
}

/** The file was rewritten or replaced while it was read: what was read is thrown away. */
export class ChangedWhileRead extends Error {}

/** The places a step reads from and writes to. */
export interface StepTools {
  cursors: Cursors;
  stores: Stores;
  reader: LineReader;
  proofs: PrefixProofs;
  granularities: Granularities;
  now: () => number;
  /** Told what is about to be read, for those who want to know what killed them. */
  journal: Journal | null;
}

/** Where the reading is: the file, and the byte at which the step begins. */
export interface Journal {
  begin(realPath: string, at: number): void;
  /** Nothing is being read. */
  end(): void;
}

const NOTHING: StepResult = {
  outcome: "unchanged",
  more: false,
  bytesRead: 0,
  entriesAdded: 0,
  malformed: 0,
};

/**
 * Brings the index one step closer to one file: proves the Cursor, reads at most about one step's bytes and
 * moves rows and Cursor together. To be called inside a writing transaction, which the caller rolls back
 * when this throws.
 *
 * @throws ChangedWhileRead, or the file system's error when the file cannot be read
 */
export function stepFile(tools: StepTools, path: string, realPath: string): StepResult {
  const fd = openRegularFile(realPath);
  if (fd === null) return { ...NOTHING, outcome: "gone" };
  try {
    return new FileStep(tools, fd, path, realPath).run();
  } finally {
    closeSync(fd);
  }
}

/** Rows stay when their file moves; which copy of a bill counts may change with the path. */
export function moveRows(
  cursors: Cursors,
  stores: Stores,
  cursor: Pick<Cursor, "fileId" | "path" | "stat">,
  realPath: string,
): void {
  cursors.move(cursor.fileId, cursor.path, realPath);
  stores.sessions.place(cursor.fileId, cursor.path, cursor.stat.mtimeMs);
  stores.counted.decideAgain(cursor.fileId);
  stores.counted.settle();
}

class FileStep {
  readonly #tools: StepTools;
  readonly #fd: number;
  readonly #stat: FileStat;
  readonly #readAt: number;
  readonly #cursor: Cursor;
  #malformed = 0;

  constructor(tools: StepTools, fd: number, path: string, realPath: string) {
    this.#tools = tools;
    this.#fd = fd;
    this.#readAt = tools.now();
    this.#stat = statOpenFile(fd);
    this.#cursor = tools.cursors.load(realPath) ?? tools.cursors.create(path, realPath, this.#stat);
    if (this.#cursor.path !== path) this.#moveTo(path);
  }

  run(): StepResult {
    if (proofNeeded(this.#cursor, this.#stat) === "nothing") return NOTHING;
    const { proofs, journal } = this.#tools;
    const { fileId, realPath, offset } = this.#cursor;
    journal?.begin(realPath, offset + proofs.placeOf(fileId));
    const proof = proofs.step(this.#fd, this.#cursor, this.#stat);
    if (proof === "more") return { ...NOTHING, more: true };
    if (proof === "fails" || !this.#goesOn()) this.#startAgain();
    this.#recover();
    const nothingNew = this.#cursor.fingerprint.length === this.#stat.size;
    if (nothingNew || this.#cursor.status === "not_session") return this.#noteStat();
    return this.#readOn();
  }

  /** The same file is reached by another path now, as when its root is given through a link. */
  #moveTo(path: string): void {
    const { cursors, stores } = this.#tools;
    this.#cursor.path = path;
    moveRows(cursors, stores, this.#cursor, this.#cursor.realPath);
  }

  /** Whether what follows the known part can follow it. */
  #goesOn(): boolean {
    const { realPath, status, fingerprint } = this.#cursor;
    // An array is closed at its end: a longer one is another one.
    if (isArrayFileName(realPath)) return status !== "session" || this.#stat.size === fingerprint.length;
    return finishProvisionalLine(this.#fd, this.#cursor, this.#stat);
  }

  /** The file is another one now: nothing the index has of it can be trusted. */
  #startAgain(): void {
    const { counted, rows } = this.#tools.stores;
    counted.passOn(this.#cursor.fileId);
    rows.removeContent(this.#cursor.fileId);
    counted.settle();
    this.#cursor.generation++;
    this.#beginAtZero();
  }

  #beginAtZero(): void {
    const cursor = this.#cursor;
    Object.assign(cursor, { status: "empty", offset: 0, provisionalLength: 0, lines: 0, malformedLines: 0 });
    cursor.fingerprint = EMPTY_FINGERPRINT;
  }

  /** A file that could not be read for a while goes on where it was. */
  #recover(): void {
    const cursor = this.#cursor;
    cursor.error = null;
    if (cursor.status !== "unreadable" && cursor.status !== "failed") return;
    if (this.#tools.stores.sessions.load(cursor.fileId)) cursor.status = "session";
    else this.#startAgain();
  }

  #noteStat(): StepResult {
    this.#tools.stores.sessions.place(this.#cursor.fileId, this.#cursor.path, this.#stat.mtimeMs);
    this.#save(true);
    return { ...NOTHING, outcome: "unchanged" };
  }

  #readOn(): StepResult {
    const cursor = this.#cursor;
    const sink = new EntrySink(this.#tools.stores, cursor);
    const from = cursor.offset;
    const step = isArrayFileName(cursor.realPath)
      ? readArrayStep(this.#fd, this.#stat.size)
      : this.#tools.reader.readStep(this.#fd, from, this.#stat.size);
    for (const line of step.lines) {
      this.#take(sink, line);
      if (cursor.status === "not_session") break;
    }
    const end = cursor.offset + cursor.provisionalLength;
    const added = step.bytes?.subarray(0, end - from) ?? null;
    cursor.fingerprint = extendFingerprint(this.#fd, cursor.fingerprint, end, added);
    const finished = step.atEnd || cursor.status === "not_session";
    sink.finish(this.#stat.mtimeMs);
    this.#assertUnchanged();
    this.#save(finished);
    return {
      outcome: end > from ? "indexed" : "unchanged",
      more: !finished,
      bytesRead: end - from,
      entriesAdded: sink.entriesAdded,
      malformed: this.#malformed,
    };
  }

  /** Understands one line and moves the Cursor past it, if it is there to stay. */
  #take(sink: EntrySink, line: Line): void {
    const parsed: ParsedLine | { kind: "unread" } =
      line.bytes === null ? { kind: "unread" } : parseLine(line.bytes);
    if (!sink.hasSession && (parsed.kind === "entry" || parsed.kind === "scalar")) this.#notASession();
    else this.#write(sink, parsed, line);
    if (this.#isTakenIn(parsed, line)) this.#advance(line);
  }

  #write(sink: EntrySink, parsed: ParsedLine | { kind: "unread" }, line: Line): void {
    const number = line.number ?? this.#cursor.lines + 1;
    switch (parsed.kind) {
      case "header":
        sink.header(parsed.header);
        this.#cursor.status = "session";
        break;
      case "entry":
        sink.entry(parsed.entry, line, number);
        break;
      case "unread":
        if (sink.hasSession) sink.unreadEntry(line, number);
        else this.#countMalformed(line, number);
        break;
      case "scalar":
        if (line.complete) sink.scalar();
        this.#countMalformed(line, number);
        break;
      case "falsy":
      case "malformed":
        this.#countMalformed(line, number);
        break;
      case "blank":
        break;
      default:
        parsed satisfies never;
    }
  }

  /** A last line without its `\n` may still become something else, unless it is an object: those cannot grow. */
  #isTakenIn(parsed: { kind: string }, line: Line): boolean {
    return (
      line.complete ||
      parsed.kind === "header" ||
      parsed.kind === "entry" ||
      this.#cursor.status === "not_session"
    );
  }

  #countMalformed(line: Line, number: number): void {
    if (!line.complete) return;
    const { fileId, malformedLines } = this.#cursor;
    this.#tools.stores.rows.insertMalformed(fileId, number, line, malformedLines);
    this.#cursor.malformedLines++;
    this.#malformed++;
  }

  #notASession(): void {
    this.#tools.stores.rows.removeContent(this.#cursor.fileId);
    this.#cursor.malformedLines = 0;
    this.#malformed = 0;
    this.#cursor.status = "not_session";
  }

  #advance(line: Line): void {
    const cursor = this.#cursor;
    if (line.complete) {
      cursor.offset = line.end;
      cursor.lines++;
    } else {
      cursor.offset = line.offset;
      cursor.provisionalLength = line.end - line.offset;
    }
  }

  /** Just before the commit: the bytes that were read are still there, under the path they were read from. */
  #assertUnchanged(): void {
    const onPath = statFile(this.#cursor.realPath);
    if (onPath === null || !sameFile(onPath, this.#stat)) throw new ChangedWhileRead();
    if (sameStat(statOpenFile(this.#fd), this.#stat)) return;
    if (!endsMatch(this.#fd, this.#cursor.fingerprint)) throw new ChangedWhileRead();
  }

  /** An unfinished file is noted with the size that was read, so that the next look finds it grown. */
  #save(finished: boolean): void {
    const cursor = this.#cursor;
    cursor.stat = finished ? this.#stat : { ...this.#stat, size: cursor.fingerprint.length };
    const granularity = this.#tools.granularities.of(cursor.realPath, this.#stat.device);
    cursor.settled = finished && isSettled(this.#stat, this.#readAt, granularity);
    this.#tools.cursors.save(cursor);
  }
}
