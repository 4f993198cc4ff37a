import { once } from "node:events";
import process from "node:process";
import { type ErrorCode, SessionDbError } from "../../errors.ts";
import { moduleAt } from "../../runtime/module-path.ts";
import { Thread } from "../../runtime/thread.ts";
import type { IndexLocation } from "../../store/location.ts";
import { toStoreError } from "../../store/sqlite-errors.ts";
import { answerIn } from "./run-sql.ts";
import type { SqlBatch, SqlLimits, SqlParameters } from "./sql-rows.ts";

/**
 * The process that runs one statement for `SqlProcess`, and can be ended at any moment: SQLite has no way of
 * being interrupted here. It answers one request, batch by batch, each when the one before has been taken.
 */

export interface SqlRequest {
  location: IndexLocation;
  sql: string;
  parameters: SqlParameters;
  limits: SqlLimits;
}

export type FromSqlProcess =
  /** Comes once, before the request: if the process ends after that, the statement is the cause. */
  | { kind: "ready" }
  | { kind: "batch"; batch: SqlBatch }
  | { kind: "done" }
  | { kind: "failed"; code: ErrorCode | "bug"; message: string; hint: string | undefined };

async function serve(): Promise<void> {
  const asked = once(process, "message");
  watch();
  await tell({ kind: "ready" });
  const [request] = (await asked) as [SqlRequest];
  await tell(await answer(request));
  process.disconnect();
}

function watch(): void {
  const thread = new Thread({
    module: moduleAt("src/reports/sql/memory-watch"),
    // The parent's number comes from the parent: it may be gone before this process can look which one it is.
    orders: Number(process.argv[2]),
    fail: (error) => {
      throw error;
    },
    here: () => import("./memory-watch.ts"),
  });
  thread.unref();
}

/** Sends the batches and returns what is to be said last. */
async function answer({ location, sql, parameters, limits }: SqlRequest): Promise<FromSqlProcess> {
  try {
    for (const batch of answerIn(location, sql, { parameters, ...limits })) {
      const taken = once(process, "message");
      await tell({ kind: "batch", batch });
      await taken;
    }
    return { kind: "done" };
  } catch (error) {
    return failureOf(toStoreError(error, location.indexPath));
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
await serve();
