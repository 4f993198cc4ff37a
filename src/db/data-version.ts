import type { Database } from "./native.ts";
import { prepared } from "./prepared.ts";

/** Differs from what it was when another connection has committed to the database since. What its own writes go by is `total_changes()`. */
export function dataVersion(database: Database, schema: "main" | "search" = "main"): number {
  return Number(prepared(database, `PRAGMA ${schema}.data_version`).pluck().get());
}
