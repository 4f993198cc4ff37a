import { pathAsTold } from "../../files/paths.ts";
import { type SubagentRun, sessionIdInName } from "../../format/subagents.ts";
import type { Database } from "../native.ts";
import type { EntryPlace } from "./entry-rows.ts";
import { RowInsert } from "./row-sql.ts";

/** What a row holds of a run that was begun in a session with this working directory. */
export function runColumns({ agent, sessionFile: told }: SubagentRun, cwd: string) {
  const sessionFile = told === null ? null : pathAsTold(told, cwd);
  return { agent, sessionFile, sessionId: sessionIdInName(sessionFile) };
}

/** Writes the runs of sub-agents that entries tell of. Whose sessions they are is decided when the transaction ends. */
export class SubagentTable {
  readonly #insert: RowInsert<"subagents">;

  constructor(database: Database) {
    this.#insert = new RowInsert(database, "subagents");
  }

  insert({ key, fileId }: EntryPlace, runs: readonly SubagentRun[], cwd: string): void {
    for (const [run, told] of runs.entries()) {
      this.#insert.run({ entryKey: key, run, fileId, ...runColumns(told, cwd), childFileId: null });
    }
  }
}
