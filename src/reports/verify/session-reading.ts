import type { Line } from "../../files/lines.ts";
import { timeOf } from "../../format/entry.ts";
import { headOf } from "../../format/head.ts";
import { type JsonObject, stringOrNull } from "../../format/json.ts";
import { type ParsedHeader, type ParsedLine, parseLine } from "../../format/parse.ts";
import { type EntryRecord, headerRoundTrips, recordOf, recordOfHead, UNREAD } from "../../format/record.ts";
import { entriesWithin } from "../../format/recover.ts";
import { isChained, nameByLine, upgradeEntry, versionOf } from "../../format/upgrade.ts";
import { LISTED_MALFORMED_LINES } from "../../store/schema/limits.ts";
import { MESSAGES_LOOKED_AT, titleOf } from "../../text/title.ts";
import { PiTotals } from "./read-money.ts";
import type { FileState, ReadEntry, ReadLabel, ReadSession } from "./read-session.ts";

/** Understands the lines of one session file, without the index and without what fills it. */
export class SessionReading {
  session: ReadSession | null = null;
  readonly file: FileState = {
    status: "empty",
    offset: 0,
    provisionalLength: 0,
    lines: 0,
    malformedLines: 0,
    error: null,
  };
  /** By the entry that carries it. */
  readonly labels = new Map<string, ReadLabel>();
  /** By its offset. */
  readonly malformed = new Map<string, { line: number; length: number }>();
  readonly piTotals = new PiTotals();
  readonly #models = new Set<string>();
  /** The first things that the user has said. */
  readonly #said: string[] = [];

  get title(): string {
    return titleOf(this.session?.name ?? null, this.#said);
  }

  /** A JSON array of names in the order of their first answer. */
  get models(): string {
    return JSON.stringify([...this.#models]);
  }

  /** The entry of a line, or those within a damaged one. */
  take(line: Line, number: number): ReadEntry[] {
    const parsed = line.bytes === null ? null : parseLine(line.bytes);
    const isStray = parsed?.kind === "entry" || parsed?.kind === "scalar";
    if (isStray && this.session === null) this.#turnOut();
    this.#advance(line, parsed?.kind);
    const entry = this.#understand(parsed, line, number);
    if (entry !== null) return [entry];
    return parsed?.kind === "malformed" ? this.#recovered(line, number) : [];
  }

  #recovered(line: Line, number: number): ReadEntry[] {
    if (line.bytes === null || !line.complete || this.session === null) return [];
    this.session.irregular ||= entriesWithin(line.bytes).length > 0;
    return entriesWithin(line.bytes).flatMap(({ entry, at, length }) => {
      const offset = line.offset + at;
      const read = this.#entry(entry, { ...line, offset, length }, number, `${nameByLine(number)}-${offset}`);
      return read === null ? [] : [{ ...read, recovered: true }];
    });
  }

  #understand(parsed: ParsedLine | null, line: Line, number: number): ReadEntry | null {
    switch (parsed?.kind) {
      case "header":
        this.#header(parsed.header);
        return null;
      case "entry":
        return this.#entry(parsed.entry, line, number);
      case undefined:
        return this.#unread(line, number);
      case "blank":
        return null;
      case "scalar":
        this.#scalar(line, number);
        return null;
      case "falsy":
      case "malformed":
        this.#countMalformed(line, number);
        return null;
      default:
        return parsed satisfies never;
    }
  }

  /** An entry before any header: the file is something else. */
  #turnOut(): void {
    this.file.status = "not_session";
    this.file.malformedLines = 0;
    this.malformed.clear();
  }

  /** A last line without its `\n` counts if it is a whole object: that cannot grow into something else. */
  #advance(line: Line, kind: ParsedLine["kind"] | undefined): void {
    const { file } = this;
    if (line.complete) {
      file.offset = line.end;
      file.lines++;
    } else if (kind === "header" || kind === "entry" || file.status === "not_session") {
      file.offset = line.offset;
      file.provisionalLength = line.end - line.offset;
    }
  }

  #header(header: ParsedHeader): void {
    this.file.status = "session";
    if (this.session === null) this.session = sessionOf(header);
    else this.session.irregular = true;
  }

  #scalar(line: Line, number: number): void {
    const { session } = this;
    if (session === null || !line.complete) return;
    session.irregular = true;
    if (!isChained(session.version)) Object.assign(session, { leafId: null, leafAt: null });
    this.#countMalformed(line, number);
  }

  #countMalformed({ complete, offset, length }: Line, number: number): void {
    if (!complete) return;
    this.file.malformedLines++;
    if (this.malformed.size < LISTED_MALFORMED_LINES)
      this.malformed.set(String(offset), { line: number, length });
  }

  #entry(
    written: JsonObject,
    line: Line,
    number: number,
    givenId = nameByLine(line.place ?? number),
  ): ReadEntry | null {
    const { session } = this;
    if (session === null) return null;
    const entry = upgradeEntry(written, session.version, { name: givenId, previousId: session.leafId });
    this.piTotals.take(entry);
    const { offset, length } = line;
    const read = {
      line: number,
      offset,
      length,
      record: recordOf(entry, givenId),
      givenId,
      recovered: false,
      entry,
    };
    this.#count(session, read);
    return read;
  }

  /** A line too long to be decoded: the index has its place, and how it begins. */
  #unread(line: Line, number: number): ReadEntry | null {
    const { session } = this;
    if (session === null) {
      this.#countMalformed(line, number);
      return null;
    }
    const givenId = nameByLine(line.place ?? number);
    const written = line.head === undefined ? null : headOf(line.head);
    const head =
      written && upgradeEntry(written, session.version, { name: givenId, previousId: session.leafId });
    const { offset, length } = line;
    const record = head === null ? UNREAD : recordOfHead(head);
    const read = { line: number, offset, length, record, givenId, recovered: false, entry: null };
    this.#count(session, read);
    return read;
  }

  #count(session: ReadSession, { offset, record }: ReadEntry): void {
    const { attributes, given, activityAt } = record;
    session.entryCount++;
    const times = [attributes.timestamp, activityAt];
    session.copied ||= times.some((time) => time !== null && time < (session.createdAt ?? time));
    session.leafId = attributes.id;
    session.leafAt = offset;
    session.irregular ||= !record.roundTrips;
    if (attributes.type === "message") this.#countMessage(session, offset, record);
    if (
      attributes.type === "model_change" ||
      (attributes.type === "message" && attributes.role === "assistant")
    ) {
      session.lastProvider = attributes.provider;
      session.lastModel = attributes.model;
    }
    if (attributes.type === "session_info") session.name = given;
    if (attributes.type !== "label" || attributes.targetId === null) return;
    if (given === null) this.labels.delete(attributes.targetId);
    else this.labels.set(attributes.targetId, { label: given, timestamp: attributes.timestamp, at: offset });
  }

  #countMessage(session: ReadSession, offset: number, { attributes, activityAt, spoken }: EntryRecord): void {
    session.messageCount++;
    if (activityAt !== null) session.lastActivityAt = Math.max(session.lastActivityAt ?? 0, activityAt);
    if (attributes.role === "assistant" && attributes.model !== null) this.#models.add(attributes.model);
    if (attributes.role !== "user" || spoken === "") return;
    session.firstMessageAt ??= offset;
    if (this.#said.length < MESSAGES_LOOKED_AT) this.#said.push(spoken);
  }
}

function sessionOf(header: ParsedHeader): ReadSession {
  return {
    sessionId: header.id.toWellFormed(),
    cwd: stringOrNull(header.cwd) ?? "",
    version: versionOf(header),
    createdAt: timeOf(header.timestamp),
    lastActivityAt: null,
    name: null,
    entryCount: 0,
    messageCount: 0,
    leafId: null,
    leafAt: null,
    firstMessageAt: null,
    irregular: !headerRoundTrips(header),
    parentSession: stringOrNull(header.parentSession),
    parentPath: stringOrNull(header.parentSession) ?? stringOrNull(header.branchedFrom),
    copied: false,
    lastProvider: null,
    lastModel: null,
  };
}
