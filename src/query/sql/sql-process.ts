/**
 * The process that runs one statement for `SqlProcess`, and can be ended at any moment: SQLite has no way of
 * being interrupted here. It answers one request, batch by batch, each when the one before has been taken.
 */
import { once } from "node:events";
import process from "node:process";
import { isMainThread, Worker } from "node:worker_threads";
import { explain } from "../../db/explain.ts";
import { type IndexLocation, openIndex } from "../../db/open.ts";
import { type ErrorCode, SessionDbError } from "../../errors.ts";
import { addEntryJson } from "./entry-json.ts";
import { readRows, type SqlBatch, type SqlLimits, type SqlParameters } from "./sql-rows.ts";

export interface SqlRequest {
  location: IndexLocation;
  sql: string;
  parameters: SqlParameters;
  limits: SqlLimits;
}

export type FromSqlProcess =
  | { kind: "batch"; batch: SqlBatch }
  | { kind: "done" }
  | { kind: "failed"; code: ErrorCode | "bug"; message: string; hint: string | undefined };

/** Bytes this process may hold, SQLite's included; its heap is bounded by an option of its own. */
const MEMORY_LIMIT = 512 * 1024 * 1024;
const WATCH_MS = 50;

/** A thread beside the one that is busy with SQLite: ends the process when it is orphaned or holds too much. */
function watch(): void {
  // Told by the parent itself: it may be gone before this process can look who that is.
  const parent = Number(process.argv[2]);
  setInterval(() => {
    if (process.ppid !== parent || process.memoryUsage.rss() > MEMORY_LIMIT)
      process.kill(process.pid, "SIGKILL");
  }, WATCH_MS);
}

async function serve(): Promise<void> {
  const [request] = (await once(process, "message")) as [SqlRequest];
  const argv = process.argv.slice(2);
  new Worker(new URL(import.meta.url), { argv, stdout: true, stderr: true }).unref();
  await tell(await answer(request));
  process.disconnect();
}

/** Sends the batches and returns what is to be said last. */
async function answer({ location, sql, parameters, limits }: SqlRequest): Promise<FromSqlProcess> {
  try {
    const index = openIndex(location, { readonly: true });
    const entryJson = addEntryJson(index);
    try {
      for (const batch of readRows(index.database, sql, parameters, limits)) {
        const taken = once(process, "message");
        await tell({ kind: "batch", batch });
        await taken;
      }
    } finally {
      entryJson.close();
      index.close();
    }
    return { kind: "done" };
  } catch (error) {
    return failureOf(explain(error, location.indexPath));
  }
}

function failureOf(error: unknown): FromSqlProcess {
  if (error instanceof SessionDbError) {
    return { kind: "failed", code: error.code, message: error.message, hint: error.hint };
  }
  return { kind: "failed", code: "bug", message: String(error), hint: undefined };
}

function tell(message: FromSqlProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, (error) => (error ? reject(error) : resolve()));
  });
}

process.once("disconnect", () => process.exit());
if (isMainThread) await serve();
else watch();
