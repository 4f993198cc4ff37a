import { readArrayStep } from "../files/array-file.ts";
import { endsMatch, extendFingerprint, type Fingerprint, sameFingerprint } from "../files/fingerprint.ts";
import {
  findNewline,
  type Line,
  type LineReader,
  LOOK_BYTES,
  longLineStep,
  type Step,
} from "../files/lines.ts";
import type { OpenedFile } from "../files/open-file.ts";
import type { Opened } from "../files/packed-file.ts";
import { isArrayFileName } from "../files/session-path.ts";
import { type FileStat, sameStat } from "../files/stat.ts";
import type { ParsedLine } from "../format/parse.ts";
import { entriesWithin } from "../format/recover.ts";
import { INDEXED } from "../format/searchable.ts";
import { type ExtractedTexts, extractLine } from "../format/tape/extract.ts";
import { textsIn } from "../format/tape/line-texts.ts";
import { Tape } from "../format/tape/tape.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import { onlyGrew } from "./change-detection.ts";
import { RowWriter } from "./row-writer.ts";
import type { TableWriters } from "./table-writers.ts";
import type { EntryRow, TextSink } from "./text-sink.ts";

/** With what a file is read. */
export interface ReadingTools {
  reader: LineReader;
  longLines: LongLines;
}

/** For lines whose texts extracting has not found. */
const READING = { tape: new Tape(), limits: INDEXED };

/** A line too long to be decoded is not even parsed. */
type Understood = ParsedLine | { kind: "unread" };

/** Takes in what comes after the Cursor, line by line, and moves it past the lines that will not change. */
export class LineExtractor {
  readonly #writers: TableWriters;
  readonly #cursor: Cursor;
  readonly #rows: RowWriter;
  readonly #texts: TextSink | null;
  /** Where extracting leaves the texts of a line, if they are wanted. */
  readonly #extracted: ExtractedTexts | undefined;
  #malformed = 0;

  constructor(writers: TableWriters, cursor: Cursor, texts: TextSink | null) {
    this.#writers = writers;
    this.#texts = texts;
    this.#extracted = texts === null ? undefined : { texts: null };
    this.#cursor = cursor;
    this.#rows = new RowWriter(writers, cursor);
  }

  get entriesAdded(): number {
    return this.#rows.entriesAdded;
  }

  get malformed(): number {
    return this.#malformed;
  }

  /** Takes in what comes next, at most about one step's bytes. Returns whether that was all of the file. */
  readOn(tools: ReadingTools, { fd, stat }: OpenedFile): boolean {
    const cursor = this.#cursor;
    const from = cursor.offset;
    const known = tools.longLines.known(fd, cursor, stat);
    const step = readStep(tools, cursor, { fd, stat, known });
    this.#rows.begin(step);
    for (const line of step.lines) {
      this.#take(line);
      if (cursor.status === "not_session") break;
    }
    const end = cursor.offset + cursor.provisionalLength;
    const added = step.bytes?.subarray(0, end - from) ?? null;
    if (end > known.length) cursor.fingerprint = extendFingerprint(fd, known, end, added);
    return step.atEnd;
  }

  /** To be called once, before the transaction ends. */
  finish(mtimeMs: number): void {
    this.#rows.finish(mtimeMs);
  }

  /** Understands one line and moves the Cursor past it, if it will not change. */
  #take(line: Line): void {
    const parsed: Understood =
      line.bytes === null ? { kind: "unread" } : extractLine(line.bytes, this.#extracted);
    const isStray = parsed.kind === "entry" || parsed.kind === "scalar";
    if (isStray && !this.#rows.hasSession) this.#notASession();
    else this.#write(parsed, line);
    if (this.#isTakenIn(parsed, line)) this.#advance(line);
  }

  #write(parsed: Understood, line: Line): void {
    const sink = this.#rows;
    const number = line.number ?? this.#cursor.lines + 1;
    switch (parsed.kind) {
      case "header":
        sink.header(parsed.header);
        this.#cursor.status = "session";
        break;
      case "entry":
        this.#handOver(sink.entry(parsed.entry, line, number), line);
        break;
      case "unread":
        if (sink.hasSession) this.#handOver(sink.unreadEntry(line, number), line);
        else this.#countMalformed(line, number);
        break;
      case "scalar":
        if (line.complete) sink.scalar();
        this.#countMalformed(line, number);
        break;
      case "malformed":
        this.#countMalformed(line, number);
        this.#recover(line, number);
        break;
      case "falsy":
        this.#countMalformed(line, number);
        break;
      case "blank":
        break;
      default:
        parsed satisfies never;
    }
  }

  /** Takes in the whole entries that stand in a damaged line; while it has no end, it may still become sound. */
  #recover(line: Line, number: number): void {
    if (line.bytes === null || !line.complete || !this.#rows.hasSession) return;
    for (const { entry, at, length } of entriesWithin(line.bytes)) {
      const part = { ...line, bytes: line.bytes.subarray(at, at + length), offset: line.offset + at, length };
      this.#handOver(this.#rows.recovered(entry, part, number), part);
    }
  }

  #handOver(row: EntryRow, { bytes }: Line): void {
    if (this.#texts === null) return;
    const texts = this.#extracted?.texts ?? (bytes && textsIn(bytes, row, READING));
    READING.tape.release();
    this.#texts.add(row, texts ?? []);
  }

  /** A last line without its `\n` may still grow into something else (`1` into `12`), unless it is a whole object. */
  #isTakenIn({ kind }: Understood, line: Line): boolean {
    if (line.complete || kind === "header" || kind === "entry") return true;
    return this.#cursor.status === "not_session";
  }

  #countMalformed(line: Line, number: number): void {
    if (!line.complete) return;
    const { fileId, malformedLines } = this.#cursor;
    this.#writers.rows.insertMalformed(fileId, number, line, malformedLines);
    this.#cursor.malformedLines++;
    this.#malformed++;
  }

  #notASession(): void {
    this.#writers.rows.removeContent(this.#cursor.fileId);
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
}

function readStep(
  { reader, longLines }: ReadingTools,
  cursor: Cursor,
  { fd, stat, known }: OpenedFile & { known: Fingerprint },
): Step {
  if (isArrayFileName(cursor.realPath)) return readArrayStep(fd, stat.size);
  const isWithinLine = known.length > cursor.offset;
  const step = isWithinLine ? null : reader.readDecodableStep(fd, cursor.offset, stat.size);
  return step ?? longLines.step(fd, cursor, { stat, known });
}

/** A line whose end has not been found yet. */
interface Begun {
  /** The file's stat at the last step. */
  stat: FileStat;
  /** Covers what comes before the line. */
  before: Fingerprint;
  /** Covers that, and as much of the line as was looked through. */
  known: Fingerprint;
}

/**
 * Looks for the ends of lines too long to be decoded, in steps, because a file may hold gigabytes without any. A file that
 * was looked through to its end and has grown since is looked through from there on.
 */
export class LongLines {
  /** By file. */
  readonly #begun = new Map<number, Begun>();

  /** How far a file was looked through: bytes from its beginning, as far as is known without a look at it. */
  placeOf({ fileId, fingerprint }: Cursor): number {
    return this.#begun.get(fileId)?.known.length ?? fingerprint.length;
  }

  /** Covers what need not be read again. It reaches beyond the Cursor where a part of the line there was looked through. */
  known(fd: Opened, cursor: Cursor, stat: FileStat): Fingerprint {
    const begun = this.#begun.get(cursor.fileId);
    if (begun === undefined) return cursor.fingerprint;
    if (stillHolds(fd, begun, { cursor, stat })) return begun.known;
    this.#begun.delete(cursor.fileId);
    return cursor.fingerprint;
  }

  /** One step through the line at the Cursor, after what is known of it. It holds no line while the end was not found. */
  step(fd: Opened, cursor: Cursor, { stat, known }: { stat: FileStat; known: Fingerprint }): Step {
    const { fileId, offset, fingerprint } = cursor;
    const end = Math.min(stat.size, known.length + LOOK_BYTES);
    const newline = findNewline(fd, known.length, end);
    if (newline < 0) {
      this.#begun.set(fileId, {
        stat,
        before: fingerprint,
        known: extendFingerprint(fd, known, end, null),
      });
      return { lines: [], end: offset, bytes: null, atEnd: end === stat.size };
    }
    this.#begun.delete(fileId);
    return longLineStep(fd, { from: offset, newline, size: stat.size });
  }
}

/** Whether what was looked through is still in the file, by the same proof as for a prefix. */
function stillHolds(fd: Opened, begun: Begun, { cursor, stat }: { cursor: Cursor; stat: FileStat }): boolean {
  if (!sameFingerprint(begun.before, cursor.fingerprint)) return false;
  if (!sameStat(begun.stat, stat) && !onlyGrew(begun.stat, stat)) return false;
  return endsMatch(fd, begun.known);
}
