import type { Database } from "../store/native.ts";
import { whereClause } from "./conditions.ts";
import { inRootsIfNeeded } from "./roots.ts";

/**
 * The names that a query gives, in order, of the files below the roots.
 *
 * @param query takes the WHERE clause of each of its tables, which have a `file_id`
 */
export function namesWithin(
  reader: Database,
  roots: string[] | undefined,
  query: (where: string) => string,
): string[] {
  const bounds = inRootsIfNeeded(reader, roots);
  const { sql, values } = whereClause(bounds);
  const names =
    bounds.length === 0
      ? query("")
      : `WITH asked (id) AS (SELECT f.id FROM files f ${sql}) ${query("WHERE file_id IN asked")}`;
  return reader
    .prepare(`${names} ORDER BY 1`)
    .pluck()
    .all(...values) as string[];
}
