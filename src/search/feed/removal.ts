import type { StopSignal } from "../../runtime/cancellation.ts";
import { emptyFullText, INDEX_DB, transaction } from "../../store/databases.ts";
import type { Database } from "../../store/native.ts";
import { rowidsBetween } from "../fts/key-blocks.ts";
import type { SearchState } from "./position.ts";

/** Removals looked at in one transaction. */
const REMOVALS = 100;

/** Entries taken out in one transaction, at a fifth of a millisecond each. */
const ENTRIES = 1000;

/** Keys taken out by one statement. */
const KEYS = 250;

const FORGET = `DELETE FROM entry_text WHERE ${rowidsBetween("entry_text")}`;

const NEXT = `SELECT seq, first_key, last_key FROM removed_keys WHERE seq > ? ORDER BY seq LIMIT ${REMOVALS}`;

/**
 * Takes entries that are gone out of the full text, some at a time. Returns whether it did anything; then there
 * may be more to do.
 */
export function forgetRemoved(
  rows: Database,
  search: Database,
  state: SearchState,
  signal?: StopSignal,
): boolean {
  const removals = rows.prepare(NEXT).raw().all(state.removedSeq) as Removal[];
  const last = removals.at(-1);
  if (last === undefined) return false;
  if (nothingLeft(rows, state.watermark)) {
    // Far cheaper than one deletion for each entry, and what a rebuild comes to.
    emptyFullText(search);
    state.saveRemovedSeq(last[0]);
  } else {
    state.saveRemovedSeq(forgetSome(search, removals, state, signal));
  }
  return true;
}

type Removal = [seq: number, first: number, last: number];

/**
 * Returns the last removal that was carried out wholly. One that was carried out in part is begun again the next time; the
 * entries of it that are gone already cost nothing then.
 */
function forgetSome(
  search: Database,
  removals: Removal[],
  { watermark, removedSeq }: SearchState,
  signal: StopSignal | undefined,
): number {
  const forget = search.prepare(FORGET);
  let done = removedSeq;
  let entries = 0;
  for (const [seq, first, last] of removals) {
    for (let from = first; from <= Math.min(last, watermark); from += KEYS) {
      if (entries >= ENTRIES || signal?.aborted) return done;
      entries += forget.run(from, Math.min(from + KEYS - 1, last, watermark)).changes;
    }
    done = seq;
  }
  return done;
}

function nothingLeft(rows: Database, watermark: number): boolean {
  return rows.prepare("SELECT 1 FROM entries WHERE key <= ? LIMIT 1").get(watermark) === undefined;
}

/** The last removal stays, because the numbers go on from it. */
const DROP_REMOVALS = "DELETE FROM removed_keys WHERE seq <= ? AND seq < (SELECT max(seq) FROM removed_keys)";
/** The lot of the watermark stays. */
const DROP_LOTS =
  "DELETE FROM key_lots WHERE first_key < (SELECT max(first_key) FROM key_lots WHERE first_key <= ?)";

/**
 * Deletes the removals that the full text has carried out, and the lots of keys that it has left behind. Its database has
 * to be on the disk by then: a full text that was put back to before them would have to begin anew.
 */
export function dropFollowed(rows: Database, { removedSeq, watermark }: SearchState): void {
  transaction(rows, INDEX_DB, () => {
    rows.prepare(DROP_REMOVALS).run(removedSeq);
    rows.prepare(DROP_LOTS).run(watermark);
  });
}
