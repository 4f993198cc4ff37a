import type { Database } from "./native.ts";
import { prepared } from "./prepared.ts";

/**
 * Differs from what it was when another connection has committed to the database since; a connection's own writes are
 * told by `total_changes()`.
 */
export function dataVersion(database: Database, schema: "main" | "search" = "main"): number {
  return Number(prepared(database, `PRAGMA ${schema}.data_version`).pluck().get());
}
