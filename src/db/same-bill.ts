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

/** What identifies the bill of a row `u` of `usage`. */
export const BILL = COLUMNS.map((column) => `u.${column}`).join(", ");

/** 15 bits of an id: enough to tell entries of the same time apart, in two bytes of each row and of its SQL index. */
export function idHashOf(entryId: string): number {
  let hash = 0;
  for (let at = 0; at < entryId.length; at++) hash = (Math.imul(hash, 31) + entryId.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 16)) & 0x7fff;
}
