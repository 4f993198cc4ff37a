/** What a page of the full text should hold, unless FTS5 is told otherwise (its option `pgsz`). Bytes. */
export const PAGE_BYTES = 4050;

/** The number of a page in `entry_text_idx`, where a flag may be added to its double. */
export const PAGE_NUMBER = "pgno / 2";

/**
 * What a query begins with that asks for `segment(id)`: the segments as the index of their pages names them, hopping from
 * one to the next; a null after the last.
 */
export function segmentsIn(schema: "main" | "search"): string {
  const pages = `${schema}.entry_text_idx`;
  return `WITH RECURSIVE segment(id) AS (
    SELECT min(segid) FROM ${pages} UNION ALL
    SELECT (SELECT min(segid) FROM ${pages} WHERE segid > id) FROM segment WHERE id IS NOT NULL
  )`;
}
