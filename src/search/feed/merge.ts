import { codeOf, isSqliteBusy } from "../../errors.ts";
import { type StopSignal, timeUp } from "../../runtime/cancellation.ts";
import type { Database } from "../../store/native.ts";
import type { Index } from "../../store/open.ts";
import { isOutOfRoom } from "../../store/sqlite-errors.ts";

/** How much to merge at once; a step of 512 pages takes about 65 ms, one of 64 under 10 ms. */
export interface MergeAmount {
  pages: 64 | 512;
  steps: number;
}

/** All there is, in steps of 512 pages: the first time some 5 seconds for each GB of session files. */
export const EVERYTHING: MergeAmount = { pages: 512, steps: Number.POSITIVE_INFINITY };
/** So little that nobody notices waiting for it. */
export const LITTLE: MergeAmount = { pages: 64, steps: 8 };
/** Merging delays no search, but it delays new entries: while those come, only a little is merged. */
const MUCH: MergeAmount = { pages: 512, steps: 8 };
/** For those who merge everything later. */
export const NO_MERGE: MergeAmount = { pages: 64, steps: 0 };

/** Whether the work has to end; asked between its steps. */
type IsOver = () => boolean;

const NEVER: IsOver = () => false;

/** Fewer segments are left as they are: FTS5 would merge four, too (its option `usermerge`), but no search is faster for it. */
const MERGEABLE = 9;

/** Two statements, because FTS5 takes the number of pages as a literal only. */
const MERGE = {
  64: "INSERT INTO entry_text (entry_text, rank) VALUES ('merge', 64)",
  512: "INSERT INTO entry_text (entry_text, rank) VALUES ('merge', 512)",
} as const;

/**
 * Each batch leaves a segment of its own, and a query looks into every one: merges until nothing changes, or
 * as much as it is told. Returns whether nothing is left to merge.
 */
export function mergeSegments(
  search: Database,
  { pages, steps }: MergeAmount = EVERYTHING,
  isOver: IsOver = NEVER,
): boolean {
  const merge = mergingStep(search, MERGE[pages]);
  // Looking takes no lock that another process may hold.
  let finished = countSegments(search) < MERGEABLE;
  for (let step = 0; step < steps && !finished && !isOver(); step++) finished = !merge();
  // Merging leaves the old segments' pages free: give them back, unless more is about to be merged.
  return finished && (pages === 64 || giveBackPages(search, isOver));
}

/** Merges for half a second. Returns whether nothing is left to merge. */
export function tidySlice(index: Index, signal: StopSignal): boolean {
  return mergeSegments(index.search, MUCH, timeUp({ signal }));
}

/**
 * Everything is found without it, so it gives up when another process is writing. False when the disk has no room for it.
 */
export function mergeLittle({ search }: Index): boolean {
  try {
    mergeSegments(search, LITTLE);
  } catch (error) {
    if (isOutOfRoom(codeOf(error))) return false;
    if (!isSqliteBusy(error)) throw error;
  }
  return true;
}

/** Pages given back in one transaction: some ten milliseconds. */
const FREED = 2000;

/**
 * Shortens a database by its unused pages. Returns whether all were given back that can be; the next calls give back those
 * that are left when it has to end. A database that somebody has written anew without `auto_vacuum` gives none back.
 */
export function giveBackPages(database: Database, isOver: IsOver): boolean {
  const freePages = () => Number(database.pragma("freelist_count", { simple: true }));
  let [before, free] = [Number.POSITIVE_INFINITY, freePages()];
  const isAnyLeft = () => free > 0 && free < before;
  while (isAnyLeft()) {
    database.pragma(`incremental_vacuum(${FREED})`);
    [before, free] = [free, freePages()];
    if (isAnyLeft() && isOver()) return false;
  }
  return true;
}

/**
 * With more segments than this a query would notice them, and where one level holds 1000 (`crisismerge`) the next text has
 * to wait until FTS5 has merged them all, at once and for many seconds.
 */
const CROWDED = 100;

/**
 * The beginning of a query that reads `segment(id)`: the segments, found by hopping from one to the next in the index of
 * their pages; after the last one comes a null.
 */
const SEGMENTS = `WITH RECURSIVE segment(id) AS (
    SELECT min(segid) FROM entry_text_idx UNION ALL
    SELECT (SELECT min(segid) FROM entry_text_idx WHERE segid > id) FROM segment WHERE id IS NOT NULL
  )`;
const COUNT_SEGMENTS = `${SEGMENTS} SELECT count(id) FROM segment`;

/** What a page of the full text should hold, unless FTS5 is told otherwise (its option `pgsz`). Bytes. */
const PAGE_BYTES = 4050;

/** The number of a page: `entry_text_idx` holds twice the number, plus a flag. */
const PAGE_NUMBER = "pgno / 2";

const SEGMENT_SIZES = `${SEGMENTS} SELECT id, (
    SELECT ${PAGE_NUMBER} * ${PAGE_BYTES} FROM entry_text_idx WHERE segid = id ORDER BY term DESC LIMIT 1
  ) FROM segment WHERE id IS NOT NULL`;

/** About how many bytes each segment has, by its id. One that is being written grows. */
export function segmentSizes(search: Database): Map<number, number> {
  return new Map(search.prepare(SEGMENT_SIZES).raw().all() as [id: number, bytes: number][]);
}

/** Whether it is time to merge step by step. */
export function isCrowded(search: Database): boolean {
  return countSegments(search) >= CROWDED;
}

function countSegments(search: Database): number {
  return Number(search.prepare(COUNT_SEGMENTS).pluck().get());
}

/** With a negative number FTS5 merges all segments, and even a single one if it holds words of deleted entries. */
const REWRITE = "INSERT INTO entry_text (entry_text, rank) VALUES ('merge', -128)";

/**
 * Merges all segments into one that holds no word of a deleted entry, in steps of about 100 ms. Returns false when
 * `isOver` ended it early; the next call goes on.
 */
export function rewriteSegments(search: Database, isOver: IsOver): boolean {
  const rewrite = mergingStep(search, REWRITE);
  while (rewrite()) if (isOver()) return false;
  return true;
}

/** A step of merging, which returns whether there was anything to merge. */
function mergingStep(search: Database, sql: string): () => boolean {
  const merge = search.prepare(sql);
  const changes = search.prepare("SELECT total_changes()").pluck();
  return () => {
    const before = Number(changes.get());
    merge.run();
    // The statement itself counts as one change.
    return Number(changes.get()) - before > 1;
  };
}
