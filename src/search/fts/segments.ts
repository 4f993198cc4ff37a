/** What a page of the full text should hold, unless FTS5 is told otherwise (its option `pgsz`). Bytes. */
export const PAGE_BYTES = 4050;

/** The number of a page: `entry_text_idx` holds twice the number, plus a flag. */
export const PAGE_NUMBER = "pgno / 2";

/**
 * The beginning of a query that reads `segment(id)`: the segments, found by hopping from one to the next in the index of
 * their pages; after the last one comes a null.
 */
export function segmentsIn(schema: "main" | "search"): string {
  const pages = `${schema}.entry_text_idx`;
  return `WITH RECURSIVE segment(id) AS (
    SELECT min(segid) FROM ${pages} UNION ALL
    SELECT (SELECT min(segid) FROM ${pages} WHERE segid > id) FROM segment WHERE id IS NOT NULL
  )`;
}
