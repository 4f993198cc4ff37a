import { isPackedName } from "../files/session-path.ts";
import type { Database, Statement } from "../store/native.ts";
import type { Cursor, CursorTable } from "../store/tables/cursors.ts";
import { CHILDREN, EntryKeys, EntryTable, ROOT_KEYS } from "../store/tables/entry-rows.ts";
import { SessionTable } from "../store/tables/session-rows.ts";
import { SubagentTable } from "../store/tables/subagent-rows.ts";
import { ToolCallTable } from "../store/tables/tool-call-rows.ts";
import { BucketTable } from "../store/tables/usage-buckets.ts";
import { UsageTable } from "../store/tables/usage-rows.ts";
import { BillingDedup, BillTable } from "./billing-dedup.ts";
import { Families } from "./families.ts";

const HAS_CHILD = `SELECT 1 FROM (${CHILDREN}) LIMIT 1`;

/** An empty id counts as none. */
const LOST_PARENTS = `SELECT unknown_parent FROM entry_rows WHERE unknown_parent <> '' AND key IN (${ROOT_KEYS})`;

/** Everything that writes rows, prepared once for one connection. */
export class TableWriters {
  readonly keys: EntryKeys;
  readonly rows: EntryTable;
  readonly usage: UsageTable;
  readonly sessions: SessionTable;
  readonly quarters: BucketTable;
  readonly toolCalls: ToolCallTable;
  readonly subagents: SubagentTable;
  readonly bills: BillTable;
  readonly billing: BillingDedup;
  readonly families: Families;
  /** Key of the entry an id stands for: the last one, as in pi. */
  readonly keyOfId: Statement;
  readonly hasChild: Statement;
  /** Whether another entry has the same id. */
  readonly hasNamesake: Statement;
  /** Ids of parents that a file does not hold. */
  readonly lostParents: Statement;

  constructor(database: Database) {
    this.keys = new EntryKeys(database);
    this.rows = new EntryTable(database);
    this.usage = new UsageTable(database);
    this.sessions = new SessionTable(database);
    this.quarters = new BucketTable(database);
    this.toolCalls = new ToolCallTable(database);
    this.subagents = new SubagentTable(database);
    this.bills = new BillTable(database);
    this.billing = new BillingDedup(database, this);
    this.families = new Families(database);
    this.keyOfId = database
      .prepare("SELECT max(key) FROM entry_rows WHERE file_id = ? AND entry_id = ?")
      .pluck();
    this.hasChild = database.prepare(HAS_CHILD).pluck();
    this.hasNamesake = database
      .prepare("SELECT 1 FROM entry_rows WHERE file_id = ? AND entry_id = ? AND key <> ? LIMIT 1")
      .pluck();
    this.lostParents = database.prepare(LOST_PARENTS).pluck();
  }

  /** To be called at the beginning of each transaction, and when a part of one was undone. */
  reset(): void {
    for (const store of [this.keys, this.rows, this.usage, this.billing]) store.reset();
  }

  /** Decides what depends on several files: what counts of copies and of sub-agents' results. To be called before the transaction ends. */
  decide(): void {
    this.billing.decideMoved();
    for (const fileId of this.families.decide()) this.billing.changed(fileId);
    this.billing.sumUp();
  }
}

/** Where a file is now. */
export interface MovedTo {
  path: string;
  realPath: string;
  /** Unix ms. */
  mtimeMs: number;
}

/**
 * Notes a file's new place, inside the caller's transaction. Its rows stay; which copy of a bill counts may change with
 * the path: that is decided when the transaction ends.
 */
export function moveFile(
  { cursors, writers }: { cursors: CursorTable; writers: TableWriters },
  fileId: number,
  { path, realPath, mtimeMs }: MovedTo,
): void {
  cursors.move(fileId, path, realPath);
  writers.sessions.date(fileId, mtimeMs);
  writers.billing.move(fileId);
  writers.families.arrived(fileId);
}

/**
 * A session that was archived, or restored, keeps its path and its rows: they are moved to where it lies now. That it is the
 * same is proved as for any file that was moved. Null for a file that is new.
 */
export function followIntoArchive(
  tools: { cursors: CursorTable; writers: TableWriters },
  to: MovedTo,
): Cursor | null {
  const isPacked = isPackedName(to.realPath);
  const before = tools.cursors.atPath(to.path).find(({ realPath }) => isPacked || isPackedName(realPath));
  if (before === undefined) return null;
  moveFile(tools, before.fileId, to);
  return { ...before, realPath: to.realPath };
}
