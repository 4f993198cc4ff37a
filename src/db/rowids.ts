/**
 * A range of entries, as a condition for a statement on the full text. Numbers are bound as floating-point numbers, which
 * FTS5 cannot use as limits of its rowids: it would look at all entries.
 */
export function rowidsBetween(table: string): string {
  return `${table}.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`;
}
