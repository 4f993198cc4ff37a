/** What identifies a bill: forks copy entries with all of it. */
const COLUMNS = [
  ...["timestamp", "id_hash", "entry_id", "provider", "model"],
  ...["input", "output", "cache_read", "cache_write", "total_tokens"],
];

/** Whether a row `t` of `usage` is a copy of the bill of which `other` gives each column. */
export function sameBill(other: (column: string) => string): string {
  return COLUMNS.map((column) => `t.${column} IS ${other(column)}`).join(" AND ");
}

/** Whether two rows of `usage`, `t` and `u`, are copies of one bill. */
export const SAME_BILL = sameBill((column) => `u.${column}`);
