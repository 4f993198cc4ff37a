import type { Database } from "./native.ts";
import { prepared } from "./prepared.ts";

/**
 * A number that changes when another connection commits to the database. A connection's own writes do not change it:
 * `total_changes()` counts those.
 */
export function dataVersion(database: Database, schema: "main" | "search" = "main"): number {
  return Number(prepared(database, `PRAGMA ${schema}.data_version`).pluck().get());
}
