import { compareTexts } from "../../runtime/collections.ts";
import { NO_TIME } from "../fts/key-blocks.ts";
import type { SearchSort } from "../query/search-sort.ts";

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
/** Brings copies side by side among entries that are otherwise equal. */
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
 * Groups entries that forks have copied from one another: a group is one hit, and stands where its best entry stood.
 * Copies need not stand side by side: SQLite scores equal texts differently in queries such as `fig -pear OR pear`, where
 * for some of them it also counts the words that an alternative leaves out.
 */
export function groupCopies(found: Found[]): Found[][] {
  const shared = sharedTimes(found);
  const groups = new Map<string | number, Found[]>();
  for (const each of found) {
    // Only entries of one time are named: naming every entry would take a third of a search.
    const name = shared.has(each.timestamp) ? copyNameOf(each) : each.key;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

function sharedTimes(found: readonly Found[]): Set<number | null> {
  const seen = new Set<number | null>();
  const shared = new Set<number | null>();
  for (const { timestamp } of found) {
    if (seen.has(timestamp)) shared.add(timestamp);
    else seen.add(timestamp);
  }
  return shared;
}

/** What `total` of an answer is: how many hits there are, or one that they are not less than, or not more. */
export type TotalIs = "exact" | "atLeast" | "atMost";

export interface WordHits {
  /** Hits: an entry and its copies in forks are one. */
  total: number;
  totalIs: TotalIs;
  /** Best first, an entry with its copies. */
  groups: Found[][];
}

/** The first hits of all that was found, best first. */
export function firstHitsOf(found: Found[], limit: number): WordHits {
  const groups = groupCopies(found);
  return { total: groups.length, totalIs: "exact", groups: groups.slice(0, limit) };
}

/** A name that is the same for copies: forks copy id and time. An id alone is unique in its file only. */
export function copyNameOf({ key, timestamp, entryId }: Found): string {
  return timestamp === null || entryId === null ? `${key}` : `${timestamp} ${entryId}`;
}

/** The first groups of copies among entries that come in any order. */
export class FirstGroups {
  readonly #sort: SearchSort;
  readonly #limit: number;
  readonly #groups: Found[][] = [];
  readonly #byName = new Map<string, Found[]>();

  /** @param limit how many groups: at least 1, and finite, because they are sorted each time more is added */
  constructor(sort: SearchSort, limit: number) {
    this.#sort = sort;
    this.#limit = limit;
  }

  /** The first entry of the last group; undefined while there are fewer groups than the limit. */
  get last(): Found | undefined {
    return this.#groups[this.#limit - 1]?.[0];
  }

  add(found: readonly Found[]): void {
    const [order, last] = [ORDERS[this.#sort], this.last];
    for (const each of found) {
      const group = this.#byName.get(copyNameOf(each));
      if (group !== undefined) group.push(each);
      else if (last === undefined || order(each, last) < 0) this.#addGroup([each]);
    }
    this.#groups.sort(([a], [b]) => (a && b ? order(a, b) : 0));
    for (const [first] of this.#groups.splice(this.#limit)) if (first) this.#byName.delete(copyNameOf(first));
  }

  #addGroup(group: [Found]): void {
    this.#groups.push(group);
    this.#byName.set(copyNameOf(group[0]), group);
  }

  /** Best first, as `groupCopies` gives them. */
  inOrder(): Found[][] {
    return this.#groups.map((group) => inOrder(group, this.#sort));
  }
}
