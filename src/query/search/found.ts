import { NO_TIME } from "../../db/key-blocks.ts";
import { compareTexts } from "../text-order.ts";
import type { SearchSort } from "./search-sort.ts";

/** An entry that matches. */
export interface Found {
  key: number;
  /** Unix ms. */
  timestamp: number | null;
  entryId: string | null;
  /** Higher is better. */
  score: number;
}

/** Found without a score. */
export function unscored({ key, timestamp, entryId }: Omit<Found, "score">): Found {
  return { key, timestamp, entryId, score: 0 };
}

type Order = (a: Found, b: Found) => number;

const newest: Order = (a, b) => (b.timestamp ?? NO_TIME) - (a.timestamp ?? NO_TIME);
/** Copies side by side, whatever else is the same. */
const byId: Order = (a, b) => compareTexts(a.entryId ?? "", b.entryId ?? "") || b.key - a.key;

const ORDERS: Record<SearchSort, Order> = {
  relevance: (a, b) => b.score - a.score || newest(a, b) || byId(a, b),
  newest: (a, b) => newest(a, b) || byId(a, b),
  oldest: (a, b) => newest(b, a) || byId(a, b),
};

/** Best first. */
export function inOrder(found: Found[], sort: SearchSort): Found[] {
  return found.sort(ORDERS[sort]);
}

/**
 * Puts together, of entries in order, those that forks have copied from one another, each group in the place of its best.
 * Gives the first groups only. Copies need not stand side by side: SQLite scores equal texts differently in queries such
 * as `fig -pear OR pear`, where in some it counts what an alternative leaves out, too.
 */
export function groupCopies(found: Found[], limit = Number.POSITIVE_INFINITY): Found[][] {
  const groups = new Map<string, Found[]>();
  // To name every entry would take a third of a search.
  const moments = new Set<number | null>();
  for (const each of found) {
    const isFull = groups.size >= limit;
    if (isFull && !moments.has(each.timestamp)) continue;
    const name = nameOf(each);
    const group = groups.get(name);
    if (group !== undefined) group.push(each);
    else if (!isFull) {
      groups.set(name, [each]);
      moments.add(each.timestamp);
    }
  }
  return [...groups.values()];
}

/** The same for copies: forks copy id and time. Ids alone are unique in one file only. */
function nameOf({ key, timestamp, entryId }: Found): string {
  return timestamp === null || entryId === null ? `${key}` : `${timestamp} ${entryId}`;
}
