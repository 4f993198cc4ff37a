import type { Index } from "../db/open.ts";
import type { SessionRef } from "../db/session-ref.ts";

/** What one entry of a session has cost. */
export interface EntryCost {
  /** `entries.key`. */
  key: number;
  /** Unix ms. */
  timestamp: number | null;
  /** US dollars. */
  cost: number;
  totalTokens: number;
}

const COSTS = `SELECT e.key, e.timestamp, u.cost, u.total_tokens AS totalTokens
  FROM entries e JOIN usage u ON u.entry_key = e.key WHERE e.file_id = ? ORDER BY e.key`;

/** The entries of a session that hold usage, copied ones included, in file order. */
export function entryCosts(index: Index, session: SessionRef): EntryCost[] {
  return index.database.prepare(COSTS).all(session.fileId) as EntryCost[];
}
