import { type SubagentRun, sessionIdInName } from "../../format/subagents.ts";
import type { Database } from "../native.ts";
import type { EntryPlace } from "./entry-rows.ts";
import { RowInsert } from "./row-sql.ts";

/** Writes the runs of sub-agents that entries tell of. Whose sessions they are is decided when the transaction ends. */
export class SubagentTable {
  readonly #insert: RowInsert<"subagents">;

  constructor(database: Database) {
    this.#insert = new RowInsert(database, "subagents");
  }

  insert({ key, fileId }: EntryPlace, runs: readonly SubagentRun[]): void {
    for (const [run, { agent, sessionFile }] of runs.entries()) {
      const sessionId = sessionIdInName(sessionFile);
      this.#insert.run({ entryKey: key, run, fileId, agent, sessionFile, sessionId, childFileId: null });
    }
  }
}
