import { type BillName, billingKeyOf } from "../format/billing-key.ts";
import type { EntryUsage } from "../format/usage.ts";
import type { Database, Statement } from "../store/native.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import type { SessionTable } from "../store/tables/session-rows.ts";
import { addTo, type BucketTable, zeroSums } from "../store/tables/usage-buckets.ts";
import { compareRanks, type Rank, type UsageTable } from "../store/tables/usage-rows.ts";
import { CanonicalElection, type Successor } from "./canonical-copy.ts";

/*
 * Money is counted once. Forks copy entries, and their messages with what identifies a bill (`billingKeyOf`). Of the usage
 * rows with one such identity exactly one is `counted`: the one in the session created first (unknown last), then with the
 * smaller path, then earlier in the file. The rule depends on what is in the index only, never on the order of arrival.
 */

/** Of the rows of one bill, the one that counts: there always is one, and for almost every new row there is none. */
const CANONICAL_COPY = `SELECT t.entry_key, t.file_id, s.created_at, f.path
  FROM usage_rows t LEFT JOIN sessions s ON s.file_id = t.file_id JOIN files f ON f.id = t.file_id
  WHERE t.bill = ? AND t.counted = 1 AND t.total_tokens = ?`;

/** A usage row as a candidate for being the one that counts. */
interface Candidate extends Rank {
  fileId: number;
}

/** The usage row that is about to be written. */
export interface NewUsage {
  entryKey: number;
  fileId: number;
  /** `billingKeyOf`. */
  bill: number;
  createdAt: number | null;
  path: string;
  usage: EntryUsage;
  /** Its file is read to its end in this step. */
  isInLastStep: boolean;
}

/** `replaces`: the row goes before the one that counts still, and will count when its file has been read to its end. */
type Standing = "counts" | "copy" | "replaces";

/** What a file's sums are made from, and where they stand. */
interface SummedTables {
  usage: Pick<UsageTable, "spentIn">;
  sessions: Pick<SessionTable, "saveSums">;
  quarters: BucketTable;
}

/** Decides which usage rows are counted, and keeps the sums of the files concerned right. */
export class BillingDedup {
  readonly #canonicalCopy: Statement;
  readonly #election: CanonicalElection;
  readonly #setCounted: Statement;
  readonly #tables: SummedTables;
  /** Files in which other rows count now, so that their sums have to be made anew. */
  readonly #changedFiles = new Set<number>();
  /** Files whose rows may have a wrong place in the order. What was rolled back is decided in vain, which does no harm. */
  readonly #moved = new Set<number>();

  constructor(database: Database, tables: SummedTables) {
    this.#canonicalCopy = database.prepare(CANONICAL_COPY).raw();
    this.#election = new CanonicalElection(database);
    this.#setCounted = database.prepare("UPDATE usage_rows SET counted = ? WHERE entry_key = ?");
    this.#tables = tables;
  }

  /**
   * Where the new row stands among its copies. If it counts, the one that counted so far no longer does; for that to
   * happen in each step of a large file, the sums of its fork would be made anew as often, from all of the fork.
   */
  decide(row: NewUsage): Standing {
    const found = this.#canonicalCopy.get(row.bill, row.usage.totalTokens) as CandidateRow | undefined;
    if (found === undefined) return "counts";
    const twin = toCandidate(found);
    // The session that is being read is not in the table yet.
    if (twin.fileId === row.fileId) twin.createdAt = row.createdAt;
    // The twin may not be the first of its copies any more: then to go before it does not mean to go before all.
    if (this.#moved.has(twin.fileId)) this.#moved.add(row.fileId);
    if (compareRanks(row, twin) >= 0) return "copy";
    if (!row.isInLastStep) return "replaces";
    this.#set(twin, false);
    return "counts";
  }

  /** To be called when a file has been read as far as it can be: its rows take the places that are theirs. */
  replaceCopies(cursor: Pick<Cursor, "fileId" | "replacesCopies">): void {
    if (cursor.replacesCopies) this.#succeed(this.#election.replacing(cursor.fileId));
    cursor.replacesCopies = false;
  }

  /** Notes that a file's path is another one now: `decideMoved` is to be called before the transaction ends. */
  move(fileId: number): void {
    this.#moved.add(fileId);
  }

  /**
   * Decides anew for the rows of all files that were moved. Together, because a folder of copies moves as a whole: file
   * by file, each would look at all the copies again (in 200 of 20 requests that took 6.3 s instead of 0.1 s).
   */
  decideMoved(): void {
    if (this.#moved.size === 0) return;
    const fileIds = this.#election.sharingTime(this.#moved);
    this.#moved.clear();
    // First the rows that count: after that a copy that goes before one can only be in a moved file.
    for (const fileId of fileIds) this.#succeed(this.#election.firstCopies(fileId));
    for (const fileId of fileIds) this.#succeed(this.#election.replacing(fileId));
    this.sumUp();
  }

  /** Notes that other numbers count in a file now: `sumUp` is to be called before the transaction ends. */
  changed(fileId: number): void {
    this.#changedFiles.add(fileId);
  }

  /** Lets copies that stay count in place of the rows of a file that is about to be removed. */
  reassign(fileId: number): void {
    for (const successor of this.#election.successors(fileId)) this.#set(successor, true);
    this.#changedFiles.delete(fileId);
  }

  /**
   * Files in the order in which they are best removed: rows that count go after their copies, so that no copy has to be
   * chosen in their place. Among a thousand forks one would be chosen again and again.
   */
  lastFirst(fileIds: readonly number[]): number[] {
    return this.#election.lastFirst(fileIds);
  }

  /** Makes the sums of the files concerned anew. To be called once, before the transaction ends. */
  sumUp(): void {
    for (const fileId of this.#changedFiles) this.#addUp(fileId);
    this.#changedFiles.clear();
  }

  /** Drops what a transaction that was rolled back had changed. */
  reset(): void {
    this.#changedFiles.clear();
  }

  #succeed(successors: Successor[]): void {
    for (const successor of successors) {
      this.#set({ entryKey: successor.ofKey, fileId: successor.ofFile }, false);
      this.#set(successor, true);
    }
  }

  #set({ entryKey, fileId }: Pick<Candidate, "entryKey" | "fileId">, counted: boolean): void {
    this.#setCounted.run(counted ? 1 : 0, entryKey);
    this.#changedFiles.add(fileId);
  }

  #addUp(fileId: number): void {
    const { usage, sessions, quarters } = this.#tables;
    const all = zeroSums();
    const inherited = zeroSums();
    const buckets = quarters.restart(fileId);
    for (const { slot, spent } of usage.spentIn(fileId)) {
      addTo(all, spent);
      if (!slot.counted) addTo(inherited, spent);
      buckets.add(slot, spent);
    }
    buckets.save();
    sessions.saveSums(fileId, all, inherited);
  }
}

type CandidateRow = [entryKey: number, fileId: number, createdAt: number | null, path: string];

function toCandidate([entryKey, fileId, createdAt, path]: CandidateRow): Candidate {
  return { entryKey, fileId, createdAt, path };
}

const HOLDS = `SELECT 1 FROM usage_rows WHERE bill = ? AND counted IN (0, 1) AND file_id = ? AND total_tokens = ?`;
const OF_ENTRY = `SELECT u.bill FROM entry_rows e CROSS JOIN usage_rows u ON u.entry_key = e.key
  WHERE e.file_id = ? AND e.entry_id = ?`;

/** Finds bills of a file, prepared once for one connection. */
export class BillTable {
  readonly #holds: Statement;
  readonly #ofEntry: Statement;

  constructor(database: Database) {
    this.#holds = database.prepare(HOLDS);
    this.#ofEntry = database.prepare(OF_ENTRY).pluck();
  }

  holds(fileId: number, bill: number, { totalTokens }: EntryUsage): boolean {
    return this.#holds.get(bill, fileId, totalTokens) !== undefined;
  }

  /** Of the entries with an id. */
  ofEntry(fileId: number, entryId: string): number[] {
    return this.#ofEntry.all(fileId, entryId) as number[];
  }
}

/**
 * The bills of one file. Requests that are alike are several all the same where they stand in one file, unless an entry is
 * there twice: then it is one.
 */
export class FileBills {
  readonly #table: BillTable;
  readonly #fileId: number;
  readonly #hasRows: boolean;
  /** How many bills there are of each kind that was met, by the key of the first of them. */
  readonly #counts = new Map<number, number>();

  /** @param hasRows whether the index has entries of the file from before */
  constructor(table: BillTable, fileId: number, hasRows: boolean) {
    this.#table = table;
    this.#fileId = fileId;
    this.#hasRows = hasRows;
  }

  /** The key of the next bill. */
  keyOf(name: BillName, usage: EntryUsage, entryId: string | null): number {
    const first = billingKeyOf(name, usage, 0);
    const count = this.#counts.get(first) ?? (this.#hasRows ? this.#countOf(name, usage) : 0);
    const repeated = count > 0 && entryId !== null ? this.#repeated(name, usage, { entryId, count }) : null;
    if (repeated !== null) return repeated;
    this.#counts.set(first, count + 1);
    return count === 0 ? first : billingKeyOf(name, usage, count);
  }

  #countOf(name: BillName, usage: EntryUsage): number {
    let count = 0;
    while (this.#table.holds(this.#fileId, billingKeyOf(name, usage, count), usage)) count++;
    return count;
  }

  /** The bill of an entry above with the same id, if it is alike. */
  #repeated(
    name: BillName,
    usage: EntryUsage,
    { entryId, count }: { entryId: string; count: number },
  ): number | null {
    const bills = this.#table.ofEntry(this.#fileId, entryId);
    if (bills.length === 0) return null;
    for (let nth = 0; nth < count; nth++) {
      const key = billingKeyOf(name, usage, nth);
      if (bills.includes(key)) return key;
    }
    return null;
  }
}
