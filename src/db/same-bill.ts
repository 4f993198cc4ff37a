/**
 * Whether two rows of `usage`, `t` and `u`, are copies of one bill: forks copy entries with everything that
 * identifies it.
 */
export const SAME_BILL = `t.timestamp IS u.timestamp AND t.id_hash = u.id_hash AND t.entry_id IS u.entry_id AND t.provider IS u.provider
  AND t.model IS u.model AND t.input = u.input AND t.output = u.output AND t.cache_read = u.cache_read
  AND t.cache_write = u.cache_write AND t.total_tokens = u.total_tokens`;
