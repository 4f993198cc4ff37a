import type { Database } from "../db/native.ts";
import { emptyNames } from "./compound-names.ts";
import type { SearchState } from "./search-state.ts";

/** Removals carried out in one transaction. */
const REMOVALS = 100;

const NEXT = `SELECT seq, first_key, last_key FROM removed_keys WHERE seq > ? ORDER BY seq LIMIT ${REMOVALS}`;

/** Takes entries that are gone out of the full text. Returns whether it did anything. */
export function forgetRemoved(rows: Database, search: Database, state: SearchState): boolean {
  const removals = rows.prepare(NEXT).raw().all(state.removedSeq) as [number, number, number][];
  const last = removals.at(-1);
  if (last === undefined) return false;
  if (nothingLeft(rows, state.watermark)) {
    // Far cheaper than one deletion for each entry, and what a rebuild comes to.
    search.exec("INSERT INTO entry_text (entry_text) VALUES ('delete-all'); DELETE FROM key_blocks");
    emptyNames(search);
  } else {
    const forget = search.prepare("DELETE FROM entry_text WHERE rowid BETWEEN ? AND ?");
    for (const [, first, final] of removals) forget.run(first, Math.min(final, state.watermark));
  }
  state.saveRemovedSeq(last[0]);
  state.renewMark();
  return true;
}

function nothingLeft(rows: Database, watermark: number): boolean {
  return rows.prepare("SELECT 1 FROM entries WHERE key <= ? LIMIT 1").get(watermark) === undefined;
}
