import type { EntryUsage } from "../format/usage.ts";
import type { Database, Statement } from "../store/native.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import { addTo, type BucketTable, spentAt, zeroSums } from "../store/tables/usage-buckets.ts";
import { compareRanks, type Rank, USAGE_OF_FILE } from "../store/tables/usage-rows.ts";
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

const ROWS_OF_FILE = `SELECT u.timestamp, u.provider, u.model, u.source, u.counted, u.input, u.output, u.cache_read,
  u.cache_write, u.total_tokens, u.cost, u.cost_input, u.cost_output, u.cost_cache_read, u.cost_cache_write,
  iif(u.accounted = 0, u.cost_from_provider, NULL), u.duration_ms, s.created_at
  FROM ${USAGE_OF_FILE} JOIN sessions s ON s.file_id = u.file_id
  WHERE e.file_id = ? ORDER BY u.entry_key`;

const SAVE_SUMS = `UPDATE sessions SET input = @input, output = @output, cache_read = @cacheRead,
  cache_write = @cacheWrite, total_tokens = @totalTokens, cost = @cost, requests = @requests WHERE file_id = ?`;

const SAVE_INHERITED = `UPDATE sessions SET inherited_input = @input, inherited_output = @output,
  inherited_cache_read = @cacheRead, inherited_cache_write = @cacheWrite, inherited_total_tokens = @totalTokens,
  inherited_cost = @cost, inherited_requests = @requests WHERE file_id = ?`;

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

/** Decides which usage rows are counted, and keeps the sums of the files concerned right. */
export class BillingDedup {
  readonly #canonicalCopy: Statement;
  readonly #election: CanonicalElection;
  readonly #setCounted: Statement;
  readonly #rowsOfFile: Statement;
  readonly #saveSums: Statement;
  readonly #saveInherited: Statement;
  readonly #quarters: BucketTable;
  /** Files in which other rows count now, so that their sums have to be made anew. */
  readonly #changedFiles = new Set<number>();
  /** Files whose rows may have a wrong place in the order. What was rolled back is decided in vain, which does no harm. */
  readonly #moved = new Set<number>();

  constructor(database: Database, quarters: BucketTable) {
    this.#canonicalCopy = database.prepare(CANONICAL_COPY).raw();
    this.#election = new CanonicalElection(database);
    this.#setCounted = database.prepare("UPDATE usage_rows SET counted = ? WHERE entry_key = ?");
    this.#rowsOfFile = database.prepare(ROWS_OF_FILE).raw();
    this.#saveSums = database.prepare(SAVE_SUMS);
    this.#saveInherited = database.prepare(SAVE_INHERITED);
    this.#quarters = quarters;
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
    const all = zeroSums();
    const inherited = zeroSums();
    const quarters = this.#quarters.restart(fileId);
    for (const row of this.#rowsOfFile.iterate(fileId) as Iterable<UsageSumRow>) {
      const [timestamp, provider, model, source, counted, ...numbers] = row;
      const [input, output, cacheRead, cacheWrite, totalTokens, cost, ...rest] = numbers;
      const [costInput, costOutput, costCacheRead, costCacheWrite, costFromProvider, durationMs, createdAt] =
        rest;
      const costs = { cost, costInput, costOutput, costCacheRead, costCacheWrite, costFromProvider };
      const spent = { input, output, cacheRead, cacheWrite, totalTokens, durationMs, ...costs };
      addTo(all, spent);
      if (counted === 0) addTo(inherited, spent);
      const at = spentAt(timestamp, createdAt);
      quarters.add({ timestamp: at, provider, model, source, counted: counted === 1 }, spent);
    }
    quarters.save();
    this.#saveSums.run(fileId, all);
    this.#saveInherited.run(fileId, inherited);
  }
}

type CandidateRow = [entryKey: number, fileId: number, createdAt: number | null, path: string];

type UsageSumRow = [
  timestamp: number | null,
  provider: string | null,
  model: string | null,
  source: string,
  counted: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  totalTokens: number,
  cost: number,
  costInput: number,
  costOutput: number,
  costCacheRead: number,
  costCacheWrite: number,
  costFromProvider: number | null,
  durationMs: number | null,
  createdAt: number | null,
];

function toCandidate([entryKey, fileId, createdAt, path]: CandidateRow): Candidate {
  return { entryKey, fileId, createdAt, path };
}
