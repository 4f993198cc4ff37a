import type { Database, Statement } from "../../db/native.ts";
import { idHashOf, SAME_BILL, sameBill } from "../../db/same-bill.ts";
import type { EntryUsage } from "../../format/usage.ts";
import type { QuarterStore } from "./quarters.ts";
import { addTo, spentAt, zeroSums } from "./sums.ts";

/*
 * Money is counted once. Forks copy entries with everything that identifies a bill: entry id, timestamp,
 * provider, model and token counts. Of the usage rows with one such identity exactly one is `counted`: the
 * one in the session created first (unknown last), then with the smaller path, then earlier in the file.
 * The rule depends on what is in the index only, never on the order of arrival.
 */

/** Whether any usage has this time and probably this id. For almost every new row there is none; then no more is asked. */
const MAY_HAVE_TWINS = "SELECT 1 FROM usage_rows WHERE timestamp IS ? AND id_hash = ? LIMIT 1";

/** Of the rows with one identity, the one that counts: there always is one. */
const COUNTED_TWIN = `SELECT t.entry_key, t.file_id, t.counted, s.created_at, f.path
  FROM usage t LEFT JOIN sessions s ON s.file_id = t.file_id JOIN files f ON f.id = t.file_id
  WHERE t.counted = 1 AND ${sameBill((column) => `@${column}`)}`;

/** The usage `u` of a file is found by way of its entries. */
const USAGE_OF_FILE = "entry_rows e CROSS JOIN usage u ON u.entry_key = e.key";

/** For each usage row of a file, the rows with the same identity (itself included). */
const GROUPS = `SELECT u.entry_key, t.entry_key, t.file_id, t.counted, s.created_at, f.path
  FROM ${USAGE_OF_FILE} JOIN usage t ON ${SAME_BILL}
  JOIN sessions s ON s.file_id = t.file_id JOIN files f ON f.id = t.file_id
  WHERE e.file_id = ?`;

/** The same for those usage rows only that count. */
const COUNTED_GROUPS = `${GROUPS} AND u.counted = 1`;

/** Whether anything of a file has a copy. */
const HAS_COPIES = `SELECT 1 FROM ${USAGE_OF_FILE} JOIN usage t ON ${SAME_BILL} AND t.entry_key <> u.entry_key
  WHERE e.file_id = ? LIMIT 1`;

/** Whether another session was created at the same time: only then the path decides. */
const SHARES_TIME = `SELECT 1 FROM sessions s JOIN sessions o ON o.created_at IS s.created_at AND o.file_id <> s.file_id
  WHERE s.file_id = ? LIMIT 1`;

const LAST_FIRST = `SELECT j.value FROM json_each(?) j JOIN files f ON f.id = j.value
  LEFT JOIN sessions s ON s.file_id = f.id ORDER BY s.created_at IS NULL DESC, s.created_at DESC, f.path DESC`;

const ROWS_OF_FILE = `SELECT u.timestamp, u.provider, u.model, u.source, u.counted, u.input, u.output, u.cache_read,
  u.cache_write, u.total_tokens, u.cost, u.cost_input, u.cost_output, u.cost_cache_read, u.cost_cache_write,
  s.created_at
  FROM ${USAGE_OF_FILE} JOIN sessions s ON s.file_id = u.file_id
  WHERE e.file_id = ? ORDER BY u.entry_key`;

const SAVE_SUMS = `UPDATE sessions SET input = @input, output = @output, cache_read = @cacheRead,
  cache_write = @cacheWrite, total_tokens = @totalTokens, cost = @cost, requests = @requests WHERE file_id = ?`;

const SAVE_INHERITED = `UPDATE sessions SET inherited_input = @input, inherited_output = @output,
  inherited_cache_read = @cacheRead, inherited_cache_write = @cacheWrite, inherited_total_tokens = @totalTokens,
  inherited_cost = @cost, inherited_requests = @requests WHERE file_id = ?`;

/** A usage row as a candidate for being the one that counts. */
interface Candidate {
  entryKey: number;
  fileId: number;
  counted: boolean;
  createdAt: number | null;
  path: string;
}

/** The usage row that is about to be written. */
export interface NewUsage {
  entryKey: number;
  fileId: number;
  /** What the entry is called, if it has no id. */
  entryId: string;
  timestamp: number | null;
  createdAt: number | null;
  path: string;
  usage: EntryUsage;
}

/** Decides which usage rows are counted, and keeps the sums of the files concerned right. */
export class Counted {
  readonly #mayHaveTwins: Statement;
  readonly #countedTwin: Statement;
  readonly #groups: Statement;
  readonly #countedGroups: Statement;
  readonly #hasCopies: Statement;
  readonly #sharesTime: Statement;
  readonly #lastFirst: Statement;
  readonly #setCounted: Statement;
  readonly #rowsOfFile: Statement;
  readonly #saveSums: Statement;
  readonly #saveInherited: Statement;
  readonly #quarters: QuarterStore;
  /** Files in which other rows count now, so that their sums have to be made anew. */
  readonly #changedFiles = new Set<number>();

  constructor(database: Database, quarters: QuarterStore) {
    this.#mayHaveTwins = database.prepare(MAY_HAVE_TWINS).pluck();
    this.#countedTwin = database.prepare(COUNTED_TWIN).raw();
    this.#groups = database.prepare(GROUPS).raw();
    this.#countedGroups = database.prepare(COUNTED_GROUPS).raw();
    this.#hasCopies = database.prepare(HAS_COPIES);
    this.#sharesTime = database.prepare(SHARES_TIME);
    this.#lastFirst = database.prepare(LAST_FIRST).pluck();
    this.#setCounted = database.prepare("UPDATE usage_rows SET counted = ? WHERE entry_key = ?");
    this.#rowsOfFile = database.prepare(ROWS_OF_FILE).raw();
    this.#saveSums = database.prepare(SAVE_SUMS);
    this.#saveInherited = database.prepare(SAVE_INHERITED);
    this.#quarters = quarters;
  }

  /** Whether the new row is the one that counts; then the one that counted so far no longer does. */
  decide(row: NewUsage): boolean {
    const { timestamp, entryId, usage } = row;
    const idHash = idHashOf(entryId);
    if (this.#mayHaveTwins.get(timestamp, idHash) === undefined) return true;
    const { cacheRead, cacheWrite, totalTokens } = usage;
    const tokens = { cache_read: cacheRead, cache_write: cacheWrite, total_tokens: totalTokens };
    const bill = { ...usage, ...tokens, timestamp, id_hash: idHash, entry_id: entryId };
    const found = this.#countedTwin.get(bill) as CandidateRow | undefined;
    if (found === undefined) return true;
    const twin = toCandidate(found);
    // The session that is being read is not in the table yet.
    if (twin.fileId === row.fileId) twin.createdAt = row.createdAt;
    if (!goesBefore(row, twin)) return false;
    this.#set(twin, false);
    return true;
  }

  /** Decides anew for every row of a file, after its place in the order may have changed (it was moved). */
  decideAgain(fileId: number): void {
    if (!this.#hasCopies.get(fileId) || !this.#sharesTime.get(fileId)) return;
    for (const group of groupsOf(this.#groups, fileId)) this.#elect(group);
  }

  /** Lets copies that stay count in place of the rows of a file that is about to be removed. */
  passOn(fileId: number): void {
    for (const group of groupsOf(this.#countedGroups, fileId)) {
      this.#elect(group.filter((row) => row.fileId !== fileId));
    }
    this.#changedFiles.delete(fileId);
  }

  /**
   * Files in the order in which they are best removed: rows that count go after their copies, so that no copy has to be
   * chosen in their place. Among a thousand forks one would be chosen again and again.
   */
  lastFirst(fileIds: readonly number[]): number[] {
    return this.#lastFirst.all(JSON.stringify(fileIds)) as number[];
  }

  /** Makes the sums of the files concerned anew. To be called once, before the transaction ends. */
  sumUp(): void {
    for (const fileId of this.#changedFiles) this.#addUp(fileId);
    this.#changedFiles.clear();
  }

  /** Forgets what a transaction that was rolled back had changed. */
  forget(): void {
    this.#changedFiles.clear();
  }

  #elect(group: Candidate[]): void {
    const [first] = group.toSorted((a, b) => (goesBefore(a, b) ? -1 : 1));
    for (const row of group) this.#set(row, row === first);
  }

  #set(row: Candidate, counted: boolean): void {
    if (row.counted === counted) return;
    this.#setCounted.run(counted ? 1 : 0, row.entryKey);
    this.#changedFiles.add(row.fileId);
  }

  #addUp(fileId: number): void {
    const all = zeroSums();
    const inherited = zeroSums();
    const quarters = this.#quarters.restart(fileId);
    for (const row of this.#rowsOfFile.iterate(fileId) as Iterable<UsageSumRow>) {
      const [timestamp, provider, model, source, counted, ...numbers] = row;
      const [input, output, cacheRead, cacheWrite, totalTokens, cost, ...rest] = numbers;
      const [costInput, costOutput, costCacheRead, costCacheWrite, createdAt] = rest;
      const tokens = { input, output, cacheRead, cacheWrite, totalTokens };
      const spent = { ...tokens, cost, costInput, costOutput, costCacheRead, costCacheWrite };
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

/** What `GROUPS` gives for a file, where there is more than the row itself. */
function groupsOf(statement: Statement, fileId: number): Candidate[][] {
  const groups = new Map<number, Candidate[]>();
  for (const [ofKey, ...row] of statement.iterate(fileId) as Iterable<[number, ...CandidateRow]>) {
    const group = groups.get(ofKey);
    if (group) group.push(toCandidate(row));
    else groups.set(ofKey, [toCandidate(row)]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

type CandidateRow = [
  entryKey: number,
  fileId: number,
  counted: number,
  createdAt: number | null,
  path: string,
];

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
  createdAt: number | null,
];

function toCandidate([entryKey, fileId, counted, createdAt, path]: CandidateRow): Candidate {
  return { entryKey, fileId, counted: counted === 1, createdAt, path };
}

type Rank = Pick<Candidate, "createdAt" | "path" | "entryKey">;

function goesBefore(a: Rank, b: Rank): boolean {
  const createdA = a.createdAt ?? Number.POSITIVE_INFINITY;
  const createdB = b.createdAt ?? Number.POSITIVE_INFINITY;
  if (createdA !== createdB) return createdA < createdB;
  // As SQLite compares them, which is not by UTF-16 units.
  if (a.path !== b.path) return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) < 0;
  return a.entryKey < b.entryKey;
}
