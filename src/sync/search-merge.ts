import type { Database } from "../db/native.ts";

/** How much to merge at once; a step of 512 pages takes about 65 ms, one of 64 under 10 ms. */
export interface MergeAmount {
  pages: 64 | 512;
  steps: number;
}

/** All there is, in steps of 512 pages. */
const EVERYTHING: MergeAmount = { pages: 512, steps: 200 };

/** The number of pages can only be a literal. */
const MERGE = {
  64: "INSERT INTO entry_text (entry_text, rank) VALUES ('merge', 64)",
  512: "INSERT INTO entry_text (entry_text, rank) VALUES ('merge', 512)",
} as const;

/**
 * Each batch leaves a segment of its own, and a query looks into every one: merges until nothing changes, or
 * as much as it is told. Returns whether nothing is left to merge.
 */
export function mergeSegments(search: Database, amount: MergeAmount = EVERYTHING): boolean {
  const merge = search.prepare(MERGE[amount.pages]);
  const changes = search.prepare("SELECT total_changes()").pluck();
  let finished = false;
  for (let step = 0; step < amount.steps && !finished; step++) {
    const before = Number(changes.get());
    merge.run();
    // The statement itself counts as one change; fewer than two means there was nothing to merge.
    finished = Number(changes.get()) - before < 2;
  }
  // Merging leaves the old segments' pages free: give them back, unless more is about to be merged.
  if (finished && amount.pages === 512) search.pragma("incremental_vacuum");
  return finished;
}

/** A negative number takes in all segments, and a single one too if it holds words of deleted entries. */
const REWRITE = "INSERT INTO entry_text (entry_text, rank) VALUES ('merge', -512)";

/**
 * Makes one segment of all that holds no word of a deleted entry, in steps of about 65 ms. Returns false when
 * `isOver` said so first; the next call goes on.
 */
export function rewriteSegments(search: Database, isOver: () => boolean): boolean {
  const rewrite = search.prepare(REWRITE);
  const changes = search.prepare("SELECT total_changes()").pluck();
  for (;;) {
    const before = Number(changes.get());
    rewrite.run();
    if (Number(changes.get()) - before < 2) return true;
    if (isOver()) return false;
  }
}
