import type { Database, Statement } from "../../db/native.ts";
import { Counted } from "./counted.ts";
import { QuarterStore } from "./quarters.ts";
import { Rows } from "./rows.ts";
import { SessionStore } from "./session-store.ts";
import { ToolCallStore } from "./tool-calls.ts";
import { UsageRows } from "./usage-rows.ts";

/** Everything that writes rows, prepared once for one connection. */
export class Stores {
  readonly rows: Rows;
  readonly usage: UsageRows;
  readonly sessions: SessionStore;
  readonly quarters: QuarterStore;
  readonly toolCalls: ToolCallStore;
  readonly counted: Counted;
  /** Key of the entry an id stands for: the last one, as in pi. */
  readonly keyOfId: Statement;
  readonly hasChild: Statement;

  constructor(database: Database) {
    this.rows = new Rows(database);
    this.usage = new UsageRows(database);
    this.sessions = new SessionStore(database);
    this.quarters = new QuarterStore(database);
    this.toolCalls = new ToolCallStore(database);
    this.counted = new Counted(database, this.quarters);
    this.keyOfId = database
      .prepare("SELECT max(key) FROM entries WHERE file_id = ? AND entry_id = ?")
      .pluck();
    this.hasChild = database.prepare("SELECT 1 FROM entries WHERE parent_key = ? LIMIT 1").pluck();
  }
}
