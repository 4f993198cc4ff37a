import { inRoots, whereClause } from "../../filters/where.ts";
import type { Database } from "../../store/native.ts";
import type { Index } from "../../store/open.ts";
import { indexIdOf, prepared, remembered } from "../../store/statements.ts";
import { entriesAfter } from "../../store/tables/entry-rows.ts";

/** How far a full text has followed the rows of an index. */
export interface Followed {
  /** The index that it follows; empty for none. */
  indexId: string;
  /** The last entry key that it has taken in; 0 for none. */
  watermark: number;
  /** The lot of keys that this one was handed out with. */
  lot: string;
  /** The last removal that it has carried out. */
  removedSeq: number;
}

const FOLLOWED = `SELECT coalesce(max(value) FILTER (WHERE name = 'index_id'), '') AS indexId,
  CAST(coalesce(max(value) FILTER (WHERE name = 'watermark'), 0) AS INTEGER) AS watermark,
  coalesce(max(value) FILTER (WHERE name = 'watermark_lot'), '') AS lot,
  CAST(coalesce(max(value) FILTER (WHERE name = 'removed_seq'), 0) AS INTEGER) AS removedSeq`;

/** What the full text of this connection says of itself. */
export function readFollowed(search: Database): Followed {
  return prepared(search, `${FOLLOWED} FROM main.meta`).get() as Followed;
}

/** `readFollowed` on a connection to an index, which sees the full text as `search`. */
function readFollowedBeside(reader: Database): Followed {
  return prepared(reader, `${FOLLOWED} FROM search.meta`).get() as Followed;
}

/**
 * Whether a full text has followed this index, and a state of it that led to the present one: otherwise its keys mean
 * nothing.
 *
 * The index may be put back to an earlier state (a restored copy, a lost write-ahead log) and hand out keys a second time.
 * Then the watermark's key is of another lot. The full text itself may be put back, or another one may have been purged in
 * its place: then removals that it has still to carry out are missing.
 */
export function hasFollowed(rows: Database, { indexId, watermark, lot, removedSeq }: Followed): boolean {
  if (indexId !== indexIdOf(rows) || removedSeq > lastRemoval(rows)) return false;
  const next = prepared(rows, NEXT_REMOVAL).pluck().get(removedSeq);
  if (next !== null && next !== removedSeq + 1) return false;
  return watermark === 0 || lotOf(rows, watermark) === lot;
}

/** Their numbers have no gap, and they are deleted from the first on: where this one is not the next, others are missing. */
const NEXT_REMOVAL = "SELECT min(seq) FROM main.removed_keys WHERE seq > ?";

/** The number of the newest removal, 0 when there was none. */
export function lastRemoval(rows: Database): number {
  return Number(prepared(rows, "SELECT max(seq) FROM main.removed_keys").pluck().get() ?? 0);
}

const LOT = `SELECT first_key || ':' || token FROM main.key_lots WHERE first_key <= ?
  ORDER BY first_key DESC LIMIT 1`;

/** The lot of keys that a key was handed out with; empty where that is not known. */
export function lotOf(rows: Database, key: number): string {
  return String(prepared(rows, LOT).pluck().get(key) ?? "");
}

const MISSED_ENTRIES = "SELECT coalesce(sum(last_key - first_key + 1), 0) FROM search.missed_keys";

/** How far the full text has followed the rows. */
export interface FullTextState {
  /** How many entries it has still to take in; where they are very many, estimated by their keys. */
  behind: number;
  /** How many of them could not be read. */
  missed: number;
  /** The last entry key that it has taken in; 0 for none. */
  watermark: number;
  /** False for a full text that has followed another index, or a state of it that is gone: its keys mean nothing here. */
  isOurs: boolean;
}

/**
 * Entries that are not searchable yet: all of them while there is no full text, which is not made just for this question.
 * Entries that could not be read count only below `roots`, where these are given: of a folder that was moved away, the
 * index keeps entries that can never be read.
 */
export function entriesBehind(index: Index, roots?: string[]): number {
  if (!index.hasFullText) return entriesAfter(index.database, 0);
  const { behind, missed } = readFullTextState(index);
  return roots === undefined || missed === 0 ? behind : behind - missed + missedBelow(index.reader, roots);
}

const ENTRIES = "SELECT total(entry_count) FROM sessions";

/** How many entries the rows hold. Added up, not taken from the highest key: keys of removed rows are not used again. */
export function entriesIn({ database }: Index): number {
  return Number(prepared(database, ENTRIES).pluck().get());
}

function missedBelow(reader: Database, roots: string[]): number {
  const { sql, values } = whereClause(inRoots(roots));
  return remembered(reader, `missed below ${JSON.stringify(roots)}`, () =>
    Number(
      prepared(reader, `${MISSED} ${sql}`)
        .pluck()
        .get(...values),
    ),
  );
}

const MISSED = `SELECT count(*) FROM search.missed_keys m
  CROSS JOIN entry_rows e ON e.key BETWEEN m.first_key AND m.last_key JOIN files f ON f.id = e.file_id`;

export function readFullTextState({ reader }: Index): FullTextState {
  return remembered(reader, "full-text state", () => stateOf(reader));
}

function stateOf(reader: Database): FullTextState {
  const followed = readFollowedBeside(reader);
  const isOurs = hasFollowed(reader, followed);
  const watermark = isOurs ? followed.watermark : 0;
  const missed = isOurs ? Number(prepared(reader, MISSED_ENTRIES).pluck().get()) : 0;
  return { behind: missed + entriesAfter(reader, watermark), missed, watermark, isOurs };
}
