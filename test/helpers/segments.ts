import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { NO_MERGE } from "../../src/search/feed/merge.ts";
import type { Index } from "../../src/store/open.ts";
import { session } from "./session-builder.ts";

/** How many words a text has that no other text has; they make a dozen pages of the full text. */
const WORDS = 4000;

/** Adds `segments` sessions below the root, each with a segment of its own that is not merged. */
export function addSegments(index: Index, root: string, segments: number): void {
  for (let at = 0; at < segments; at++) {
    const words = Array.from({ length: WORDS }, (_, word) => scattered(at * WORDS + word));
    session({ id: `s${at}` })
      .user(words.join(" "))
      .writeBelow(root);
    syncAll(index, [root]);
    feedSearch(index, { merge: NO_MERGE });
  }
}

/** A different word for each number; the words begin in all kinds of ways. */
function scattered(number: number): string {
  return `w${((number * 2_654_435_761) % 2 ** 32).toString(36)}`;
}

export function countSegments({ search }: Index): number {
  return Number(search.prepare("SELECT count(DISTINCT segid) FROM entry_text_idx").pluck().get());
}
