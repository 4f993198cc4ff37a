/** How many entry keys a row of `search.key_blocks` covers. A change needs a new `ingestVersion` of the full text. */
export const KEYS_PER_BLOCK = 512;

/** Entries without a time are older than all others. */
export const NO_TIME = 0;

/**
 * A range of entries, as a condition for a statement on the full text. Numbers are bound as floating-point numbers, which
 * FTS5 cannot use as limits of its rowids: it would look at all entries.
 */
export function rowidsBetween(table: string): string {
  return `${table}.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`;
}
