import type { Line, Step } from "../files/lines.ts";
import type { ParsedLine } from "../format/parse.ts";
import { entriesWithin } from "../format/recover.ts";
import { INDEXED } from "../format/searchable.ts";
import { type ExtractedTexts, extractLine } from "../format/tape/extract.ts";
import { textsIn } from "../format/tape/line-texts.ts";
import { Tape } from "../format/tape/tape.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import { RowWriter } from "./row-writer.ts";
import type { TableWriters } from "./table-writers.ts";
import type { EntryRow, TextSink } from "./text-sink.ts";

/** For lines whose texts extracting has not found. */
const READING = { tape: new Tape(), limits: INDEXED };

/** A line too long to be decoded is not even parsed. */
type Understood = ParsedLine | { kind: "unread" };

/** Takes in what one step of a file says, line by line, and moves the Cursor past the lines that will not change. */
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

  /** Takes lines in, until the file turns out to be no session. */
  step({ lines, atEnd }: Pick<Step, "lines" | "atEnd">): void {
    this.#rows.begin({ atEnd });
    for (const line of lines) {
      this.#take(line);
      if (this.#cursor.status === "not_session") break;
    }
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
