import type { Database } from "../db/native.ts";

/** Pages a merge step may write; a step of 512 takes about 65 ms. */
const MERGE_PAGES = 512;
const MERGE_STEPS = 200;

/** Each batch leaves a segment of its own, and a query looks into every one: merges until nothing changes. */
export function mergeSegments(search: Database): void {
  const merge = search.prepare(`INSERT INTO entry_text (entry_text, rank) VALUES ('merge', ${MERGE_PAGES})`);
  const changes = search.prepare("SELECT total_changes()").pluck();
  for (let step = 0; step < MERGE_STEPS; step++) {
    const before = Number(changes.get());
    merge.run();
    // The statement itself counts as one change; fewer than two means there was nothing to merge.
    if (Number(changes.get()) - before < 2) break;
  }
  // Merging leaves the old segments' pages free: give them back.
  search.pragma("incremental_vacuum");
}
