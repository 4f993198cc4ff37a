import type { Index } from "../../store/open.ts";
import type { Condition } from "../conditions.ts";
import { type Found, groupCopies, inOrder, nameOf, unscored } from "./found.ts";
import type { SearchSort } from "./search-sort.ts";
import { candidatesOf } from "./substring-candidates.ts";
import { SubstringEntries } from "./substring-entries.ts";
import { scanFiles } from "./substring-scan.ts";
import { timeSort, type WordHits } from "./word-hits.ts";

export interface SubstringSearch {
  /** Exactly these characters. */
  needle: string;
  /** Upon `entries e`, `sessions s` and `files f`. */
  conditions: Condition[];
  /** Relevance is newest first. */
  sort: SearchSort;
  /** `Infinity`: all. */
  limit: number;
}

/** Finds a text of any characters: in the entries that hold its words; if it has no whole word, in all files. */
export function findBySubstring(index: Index, search: SubstringSearch): WordHits {
  const candidates = candidatesOf(index, search.needle);
  return candidates === null ? scanFiles(index, search) : findAmong(index, search, candidates);
}

function findAmong(index: Index, search: SubstringSearch, keys: number[]): WordHits {
  const entries = new SubstringEntries(index, search);
  const among = { sql: "e.key IN (SELECT value FROM json_each(?))", values: [JSON.stringify(keys)] };
  const places = new Map(entries.where(among).map((place) => [place.key, place]));
  const inTurn = inOrder([...places.values()].map(unscored), timeSort(search.sort));
  const found: Found[] = [];
  const groups = new Set<string>();
  for (const each of inTurn) {
    const place = places.get(each.key);
    if (place === undefined || !entries.holdsText(place)) continue;
    found.push(each);
    groups.add(nameOf(each));
    // One group more than wanted shows that the last wanted one has all its copies.
    if (groups.size > search.limit) break;
  }
  const isTotalExact = groups.size <= search.limit;
  return { total: found.length, isTotalExact, groups: groupCopies(found, search.limit) };
}
