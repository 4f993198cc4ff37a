/**
 * A range of entries for a statement on the full text. Numbers are bound as floating-point numbers, with which FTS5 cannot
 * limit its rowids: it would look at all there are.
 */
export function rowidsBetween(table: string): string {
  return `${table}.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`;
}
