import type { Filter } from "../../filters/filter.ts";
import { type Condition, inRootsIfNeeded, inTime, whereClause } from "../../filters/where.ts";
import type { Index } from "../../store/open.ts";
import { countedWithin } from "./counted.ts";
import { joinsForUsage, ROWS, usageConditions } from "./source.ts";

/** What of single requests is asked for. */
interface AskedRows {
  roots?: string[] | undefined;
  filter?: Filter | undefined;
  /** Of `usage u`, and of `sessions s`, `files f` and `entries e`, which are joined where they are named. */
  columns: string;
  /** A last column, which brings its own tables. */
  last?: Condition;
  order: string;
}

/** The requests that count, each as a row of values. They are read one by one. */
export function requestRows(
  index: Index,
  { roots, filter = {}, columns, last, order }: AskedRows,
): Iterable<unknown[]> {
  const bounds = inRootsIfNeeded(index.database, roots);
  const counted = countedWithin(index.database, bounds, inTime("u.timestamp", filter));
  const where = whereClause([...bounds, ...usageConditions(filter, ROWS), counted]);
  // What the last column needs it brings along.
  const joins = joinsForUsage(`${columns} ${where.sql} ${order}`);
  const all = last === undefined ? columns : `${columns}, ${last.sql}`;
  const sql = ["SELECT", all, "FROM usage u", joins, where.sql, "ORDER BY", order].join(" ");
  const found = index.database.prepare(sql);
  return found.raw().iterate(...(last?.values ?? []), ...where.values) as Iterable<unknown[]>;
}
