import { NO_TIME } from "../db/key-blocks.ts";
import type { Database } from "../db/native.ts";
import type { Index } from "../db/open.ts";
import { prepared } from "../db/prepared.ts";
import { type Condition, whereClause } from "./conditions.ts";
import { type Found, groupCopies, inOrder } from "./found.ts";
import { clausesOf, holdsRemoved, joinsFor, type WordSearch } from "./full-text.ts";
import { inRootsIfNeeded } from "./roots.ts";
import type { SearchSort } from "./search-sort.ts";
import { blockFinder, findByTime, holds, listFinder } from "./timely-hits.ts";

export interface WordHits {
  /** How many entries match, copies in forks included. */
  total: number;
  /** False where the search ended with enough hits: then there are at least `total`. */
  isTotalExact: boolean;
  /** Best first, an entry with its copies. */
  groups: Found[][];
}

/** Ranking costs a microsecond a hit: above this many hits, the newest are the best. */
const RANKED_HITS = 20_000;
/** Up to so many are ranked without being counted first. */
const RARE_HITS = 1000;
/** Ranking looks at every alternative of the expression: so many cost as much again as the hit itself. */
const ALTERNATIVES = 60;

/** SQLite looks at a bare parameter when it plans, and prepares the statement anew for every search: 30 us. */
const LIMIT = "LIMIT ? + 0";

/** Finds entries by the full text as it stands. */
export function findByWords(index: Index, search: WordSearch): WordHits {
  const { reader } = index;
  const most = mostRanked(search.expression);
  const bounded = { ...search, conditions: [...rootsOf(reader, search), ...search.conditions] };
  const keys = isCostly(search.expression) ? keysOf(reader, search.expression) : null;
  if (keys === null) {
    const rare = findFew(reader, bounded, RARE_HITS);
    if (rare !== null) return answerOf(rare, search.sort, search.limit);
  }
  const few = (keys?.length ?? countUpTo(reader, search.expression, most)) <= most;
  const mayBeFew = few || (keys === null && bounded.conditions.length > 0);
  const found = mayBeFew ? findFew(reader, bounded, most) : null;
  if (found !== null) return answerOf(found, search.sort, search.limit);
  const sort = search.sort === "oldest" ? "oldest" : "newest";
  if (keys !== null) return findAmong(reader, bounded, { keys, sort });
  const groups = findByTime(reader, bounded, { sort, find: blockFinder(reader, bounded) });
  return { total: count(reader, bounded), isTotalExact: true, groups };
}

function answerOf(found: Found[], sort: SearchSort, limit: number): WordHits {
  return {
    total: found.length,
    isTotalExact: true,
    groups: groupCopies(inOrder(found, sort)).slice(0, limit),
  };
}

interface Among {
  /** The keys of all entries that hold the words, smallest first: the full text is not asked again. */
  keys: number[];
  sort: "newest" | "oldest";
}

function findAmong(reader: Database, search: WordSearch, { keys, sort }: Among): WordHits {
  const { conditions, limit } = search;
  const find = listFinder(reader, search, keys);
  if (Number.isFinite(limit)) {
    const needsEntries = conditions.length > 0 || holdsRemoved(reader);
    const total = needsEntries ? countAmong(reader, conditions, keys) : keys.length;
    return { total, isTotalExact: true, groups: findByTime(reader, search, { sort, find }) };
  }
  return answerOf(find(0, Number.MAX_SAFE_INTEGER), sort, limit);
}

function countAmong(reader: Database, conditions: Condition[], keys: number[]): number {
  const where = whereClause(conditions);
  const matching = prepared(reader, `SELECT e.key FROM entries e ${joinsFor(conditions)} ${where.sql}`)
    .pluck()
    .all(...where.values) as number[];
  return matching.reduce((sum, key) => sum + (holds(keys, key) ? 1 : 0), 0);
}

/** Beginnings, and words that are a part of many names, are asked for once: each time they are gathered anew. */
export function isCostly(expression: string): boolean {
  return /" \*/.test(expression) || expression.split(" OR ").length > ALTERNATIVES;
}

export function keysOf(reader: Database, expression: string): number[] {
  return prepared(reader, "SELECT rowid FROM search.entry_text WHERE entry_text MATCH ?")
    .pluck()
    .all(expression) as number[];
}

/** Nothing, where the index holds nothing but what lies below the roots. */
export function rootsOf(reader: Database, { roots }: Pick<WordSearch, "roots">): Condition[] {
  return inRootsIfNeeded(reader, roots);
}

export function mostRanked(expression: string): number {
  const alternatives = expression.split(" OR ").length;
  return Math.floor(RANKED_HITS / (1 + alternatives / ALTERNATIVES));
}

export function countUpTo(reader: Database, expression: string, most: number): number {
  const sql = `SELECT count(*) FROM (SELECT 1 FROM search.entry_text WHERE entry_text MATCH ? ${LIMIT})`;
  return Number(
    prepared(reader, sql)
      .pluck()
      .get(expression, most + 1),
  );
}

/** All hits with their scores, or null when there are more than that many. */
export function findFew(reader: Database, search: WordSearch, most: number): Found[] | null {
  const clauses = clausesOf(search);
  const weight = search.sort === "relevance" ? WEIGHT : "0.0";
  const sql = `SELECT e.key, e.timestamp, e.entry_id, ${weight} ${clauses.sql} ${LIMIT}`;
  const rows = prepared(reader, sql)
    .raw()
    .all(...clauses.values, most + 1) as [number, number | null, string | null, number][];
  if (rows.length > most) return null;
  return rows.map(([key, timestamp, entryId, weighed]) => ({
    key,
    timestamp,
    entryId,
    score: weighed * freshness(timestamp, search.now),
  }));
}

/** SQLite's bm25 is the smaller the better. What was said weighs more than what a tool printed. */
const WEIGHT = `-bm25(entry_text) *
  CASE e.role WHEN 'user' THEN 1.4 WHEN 'assistant' THEN 1.2 WHEN 'toolResult' THEN 0.8 ELSE 1.0 END`;
const QUARTER_OF_A_YEAR_MS = 90 * 24 * 60 * 60 * 1000;

/** What is a quarter of a year old weighs about two thirds of what is new. */
function freshness(timestamp: number | null, now: number): number {
  const age = Math.max(0, now - (timestamp ?? NO_TIME)) / QUARTER_OF_A_YEAR_MS;
  return 0.4 + 0.6 / (1 + age);
}

/** Without conditions the full text alone knows, unless it still holds entries that are gone. */
function count(reader: Database, search: WordSearch): number {
  const clauses = clausesOf(search);
  const alone = "FROM search.entry_text t WHERE t.entry_text MATCH ?";
  const from = search.conditions.length === 0 && !holdsRemoved(reader) ? alone : clauses.sql;
  return Number(
    prepared(reader, `SELECT count(*) ${from}`)
      .pluck()
      .get(...clauses.values),
  );
}
