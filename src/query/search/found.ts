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

/** Puts together, of entries in order, those that forks have copied from one another. Gives the first groups only. */
export function groupCopies(found: Found[], limit = Number.POSITIVE_INFINITY): Found[][] {
  const groups: Found[][] = [];
  for (const each of found) {
    const last = groups.at(-1);
    if (last !== undefined && isCopy(each, last[0])) last.push(each);
    else if (groups.length < limit) groups.push([each]);
    else return groups;
  }
  return groups;
}

/** Forks copy id and time. Ids alone are unique in one file only. */
function isCopy(a: Found, b: Found | undefined): boolean {
  return (
    a.entryId !== null && a.timestamp !== null && a.entryId === b?.entryId && a.timestamp === b.timestamp
  );
}
