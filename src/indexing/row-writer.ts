import type { Line } from "../files/lines.ts";
import type { EntryAttributes } from "../format/entry.ts";
import { headOf } from "../format/head.ts";
import type { JsonObject } from "../format/json.ts";
import type { ParsedHeader } from "../format/parse.ts";
import { type EntryRecord, recordOf, recordOfHead, UNREAD } from "../format/record.ts";
import { isChained, nameByLine, upgradeEntry } from "../format/upgrade.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import type { EntryPlace } from "../store/tables/entry-rows.ts";
import type { SessionState } from "../store/tables/session-rows.ts";
import type { ToolCalls } from "../store/tables/tool-call-rows.ts";
import { type Buckets, spentAt } from "../store/tables/usage-buckets.ts";
import { FileBills } from "./billing-dedup.ts";
import { foldEntry, foldUsage, newSession } from "./session-fold.ts";
import type { TableWriters } from "./table-writers.ts";
import type { EntryRow } from "./text-sink.ts";

/** Takes the entries of one file in file order and writes all rows that follow from them. */
export class RowWriter {
  #session: SessionState | null;
  #entriesAdded = 0;
  readonly #writers: TableWriters;
  readonly #cursor: Cursor;
  readonly #quarters: Buckets;
  readonly #toolCalls: ToolCalls;
  readonly #bills: FileBills;
  /** Of the session as the index has it; null where it is new. */
  readonly #knownCopied: number | null;
  /** Ids seen, while every entry of the file passed through here; else null and the index is asked. */
  readonly #seenIds: Set<string> | null;
  /** Ids named as a parent that no entry above has. If one comes later, that parent stands below its child. */
  readonly #lostParents: Set<string>;
  /** The last entry repeats an id, or has none, or stands below its child. */
  #isLeafOdd: boolean;
  /** Not only have entries come that go on from the leaf before them. */
  #mayHaveOtherLeaves = false;
  readonly #firstKey: number;
  #nextKey: number;
  /** Whether what is taken in now is all there is to the file. */
  #isAtEnd = false;

  constructor(writers: TableWriters, cursor: Cursor) {
    this.#writers = writers;
    this.#cursor = cursor;
    this.#session = writers.sessions.load(cursor.fileId);
    this.#quarters = writers.quarters.open(cursor.fileId, this.#session !== null);
    this.#toolCalls = writers.toolCalls.open(cursor.fileId, this.#session !== null);
    this.#bills = new FileBills(writers.bills, cursor.fileId, this.#session !== null);
    this.#knownCopied = this.#session?.copied ?? null;
    this.#seenIds = this.#session === null ? new Set() : null;
    this.#lostParents = new Set(this.#session === null ? [] : this.#lostUpToHere());
    this.#isLeafOdd = this.#session?.walkByText === 1 && this.#isOddLeaf(this.#session);
    this.#firstKey = writers.keys.next();
    this.#nextKey = this.#firstKey;
  }

  get hasSession(): boolean {
    return this.#session !== null;
  }

  get entriesAdded(): number {
    return this.#entriesAdded;
  }

  /** To be called before the entries of a step are given. */
  begin({ atEnd }: { atEnd: boolean }): void {
    this.#isAtEnd = atEnd;
  }

  header(header: ParsedHeader): void {
    if (this.#session !== null) {
      this.#session.irregular = 1;
      return;
    }
    this.#session = newSession(this.#cursor.fileId, header);
  }

  /** A line that parses but is not an object: no row, but pi's leaf is lost on it where entries name their parents. */
  scalar(): void {
    if (this.#session === null) return;
    this.#session.irregular = 1;
    if (isChained(this.#session.version)) return;
    this.#session.leafKey = null;
    this.#session.leafId = null;
  }

  entry(raw: JsonObject, line: Line, lineNumber: number): EntryRow {
    const name = this.#nameOf(line, lineNumber);
    return this.#write(recordOf(this.#upgraded(raw, name), name), line, { lineNumber, name });
  }

  /** An entry that stands within a damaged line: pi does not see it, so the session is listed and opened from its file. */
  recovered(raw: JsonObject, line: Line, lineNumber: number): EntryRow {
    this.#openSession().irregular = 1;
    const name = nameWithin(line, lineNumber);
    const written = recordOf(this.#upgraded(raw, name), name);
    return this.#write(written, line, { lineNumber, name, recovered: true });
  }

  unreadEntry(line: Line, lineNumber: number): EntryRow {
    const head = line.head === undefined ? null : headOf(line.head);
    const name = this.#nameOf(line, lineNumber);
    const record = head === null ? UNREAD : recordOfHead(this.#upgraded(head, name));
    return this.#write(record, line, { lineNumber, name });
  }

  /** Writes all rows of one entry. */
  #write(
    record: EntryRecord,
    line: Line,
    { lineNumber, name, recovered = false }: { lineNumber: number; name: string; recovered?: boolean },
  ): EntryRow {
    const session = this.#openSession();
    const { attributes, usage } = record;
    this.#noticeOddId(session, attributes);
    const place: EntryPlace = {
      key: this.#nextKey++,
      fileId: this.#cursor.fileId,
      line: lineNumber,
      offset: line.offset,
      length: line.length,
      parentKey: this.#attach(session, attributes.parentId),
      recovered,
    };
    this.#writers.rows.insert(place, record);
    if (attributes.type === "message") this.#toolCalls.take(place, record);
    foldEntry(session, place.key, record);
    this.#entriesAdded++;
    const { id, type, timestamp } = attributes;
    if (usage !== null) this.#spend(session, place, record, name);
    if (record.subagents.length > 0) {
      this.#writers.subagents.insert(place, record.subagents, session.cwd);
      this.#writers.families.told(place.fileId);
    }
    return { key: place.key, type, entryId: id, timestamp, version: session.version };
  }

  /** Writes what was folded. To be called once, before the transaction ends. */
  finish(mtimeMs: number): void {
    if (this.#session !== null) this.#save(this.#session, mtimeMs);
    this.#quarters.save();
    this.#toolCalls.save();
    this.#writers.keys.handedOut(this.#firstKey, this.#nextKey);
  }

  #upgraded(raw: JsonObject, name: string): JsonObject {
    const { version, leafId } = this.#openSession();
    return upgradeEntry(raw, version, { name, previousId: leafId });
  }

  /** What an entry without an id is called. */
  #nameOf({ place }: Line, lineNumber: number): string {
    return nameByLine(place ?? lineNumber);
  }

  #openSession(): SessionState {
    if (this.#session === null) throw new Error("an entry before the header");
    return this.#session;
  }

  /** In a damaged tree all leaves are counted, by their ids, unless there must be as many as before. */
  #save(session: SessionState, mtimeMs: number): void {
    const { families, sessions } = this.#writers;
    if (session.walkByText && this.#mayHaveOtherLeaves) {
      session.branchCount = sessions.countLeaves(session.fileId);
    }
    sessions.save(session, mtimeMs);
    if (session.copied !== this.#knownCopied) families.arrived(session.fileId);
  }

  #noticeOddId(session: SessionState, { id, parentId }: EntryAttributes): void {
    const isOdd = id === null || id === parentId || this.#lostParents.has(id) || this.#isKnown(id);
    if (isOdd) session.walkByText = 1;
    else this.#seenIds?.add(id);
    // An empty id names no entry, but is a leaf.
    const goesOn = id && parentId && parentId === session.leafId && session.leafKey !== null;
    if (!goesOn || isOdd || this.#isLeafOdd) this.#mayHaveOtherLeaves = true;
    this.#isLeafOdd = isOdd;
  }

  #isOddLeaf({ fileId, leafId, leafKey }: SessionState): boolean {
    if (leafId === null || this.#lostParents.has(leafId)) return true;
    return this.#writers.hasNamesake.get(fileId, leafId, leafKey) !== undefined;
  }

  #isKnown(id: string): boolean {
    return this.#seenIds ? this.#seenIds.has(id) : this.#keyOf(id) !== null;
  }

  /** Finds the parent's key and counts the leaf that the new entry adds or replaces. */
  #attach(session: SessionState, parentId: string | null): number | null {
    if (!parentId) {
      session.branchCount++;
      return null;
    }
    if (parentId === session.leafId && session.leafKey !== null) return session.leafKey;
    const key = this.#keyOf(parentId);
    if (key === null) this.#lostParents.add(parentId);
    if (key === null || this.#hasChild(key)) session.branchCount++;
    return key;
  }

  #lostUpToHere(): string[] {
    return this.#writers.lostParents.all({ fileId: this.#cursor.fileId }) as string[];
  }

  #hasChild(key: number): boolean {
    return this.#writers.hasChild.get({ key, fileId: this.#cursor.fileId }) !== undefined;
  }

  #keyOf(id: string): number | null {
    return this.#writers.keyOfId.get(this.#cursor.fileId, id) as number | null;
  }

  #spend(session: SessionState, place: EntryPlace, record: EntryRecord, name: string): void {
    const { attributes, usage, bill } = record;
    if (usage === null || bill === null) return;
    const { id, timestamp } = attributes;
    const key = this.#bills.keyOf(bill, usage, id);
    const standing = this.#writers.billing.decide({
      entryKey: place.key,
      fileId: place.fileId,
      bill: key,
      createdAt: session.createdAt,
      path: this.#cursor.path,
      usage,
      isInLastStep: this.#isAtEnd,
    });
    if (standing === "replaces") this.#cursor.replacesCopies = true;
    const counted = standing === "counts";
    this.#writers.usage.insert(place, timestamp, usage, { key, givenId: id === null ? name : null, counted });
    this.#writers.families.spent(place.fileId, usage.source);
    foldUsage(session, usage, counted);
    const at = spentAt(timestamp, session.createdAt);
    const { provider, model, source } = usage;
    this.#quarters.add({ timestamp: at, provider, model, source, counted }, usage);
  }
}

/** What an entry within a damaged line is called, where it has no id: several may stand in one line. */
function nameWithin({ offset }: Line, lineNumber: number): string {
  return `${nameByLine(lineNumber)}-${offset}`;
}
