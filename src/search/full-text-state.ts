import { inRoots, whereClause } from "../filters/where.ts";
import type { Database } from "../store/native.ts";
import type { Index } from "../store/open.ts";
import { prepared, remembered } from "../store/statements.ts";
import { entriesAfter } from "../store/tables/entry-rows.ts";
import { hasFollowed, readFollowed } from "./feed/position.ts";

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
  const followed = readFollowed(reader, "search");
  const isOurs = hasFollowed(reader, followed);
  const watermark = isOurs ? followed.watermark : 0;
  const missed = isOurs ? Number(prepared(reader, MISSED_ENTRIES).pluck().get()) : 0;
  return { behind: missed + entriesAfter(reader, watermark), missed, watermark, isOurs };
}
