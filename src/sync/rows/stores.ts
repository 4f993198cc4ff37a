import type { Database, Statement } from "../../store/native.ts";
import { CHILDREN, EntryKeys, ROOT_KEYS, Rows } from "../../store/tables/entry-rows.ts";
import { SessionStore } from "../../store/tables/session-rows.ts";
import { ToolCallStore } from "../../store/tables/tool-call-rows.ts";
import { QuarterStore } from "../../store/tables/usage-buckets.ts";
import { UsageRows } from "../../store/tables/usage-rows.ts";
import { Counted } from "./counted.ts";

const HAS_CHILD = `SELECT 1 FROM (${CHILDREN}) LIMIT 1`;

/** An empty id counts as none. */
const LOST_PARENTS = `SELECT unknown_parent FROM entry_rows WHERE unknown_parent <> '' AND key IN (${ROOT_KEYS})`;

/** Everything that writes rows, prepared once for one connection. */
export class Stores {
  readonly keys: EntryKeys;
  readonly rows: Rows;
  readonly usage: UsageRows;
  readonly sessions: SessionStore;
  readonly quarters: QuarterStore;
  readonly toolCalls: ToolCallStore;
  readonly counted: Counted;
  /** Key of the entry an id stands for: the last one, as in pi. */
  readonly keyOfId: Statement;
  readonly hasChild: Statement;
  /** Whether another entry has the same id. */
  readonly hasNamesake: Statement;
  /** Ids of parents that a file does not hold. */
  readonly lostParents: Statement;

  constructor(database: Database) {
    this.keys = new EntryKeys(database);
    this.rows = new Rows(database);
    this.usage = new UsageRows(database);
    this.sessions = new SessionStore(database);
    this.quarters = new QuarterStore(database);
    this.toolCalls = new ToolCallStore(database);
    this.counted = new Counted(database, this.quarters);
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
  forget(): void {
    for (const store of [this.keys, this.rows, this.usage, this.counted]) store.forget();
  }
}
