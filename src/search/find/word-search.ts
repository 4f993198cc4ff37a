import { type Condition, inRootsIfNeeded } from "../../filters/where.ts";
import type { Database } from "../../store/native.ts";
import type { Index } from "../../store/open.ts";
import { prepared, remembered } from "../../store/statements.ts";
import { NO_TIME } from "../fts/key-blocks.ts";
import type { SearchSort } from "../query/search-sort.ts";
import { clausesOf, clausesOfMany, holdsRemoved, isAmong, type WordSearch } from "./match-sql.ts";
import { type Found, firstHitsOf, inOrder, type WordHits } from "./matches.ts";
import { blockFinder, findByTime, listFinder } from "./newest-first.ts";

/** Ranking costs up to three microseconds a hit: of more hits than this, the newest count as the best. */
const RANKED_HITS = 10_000;
/** Up to so many hits are ranked without being counted first. */
const RARE_HITS = 1000;

/** Not a bare parameter: SQLite's planner looks at the value of one, and would prepare the statement anew each time: 30 us. */
const LIMIT = "LIMIT ? + 0";

/** Finds entries by the full text as it stands. */
export function findByWords(index: Index, search: WordSearch): WordHits {
  const { reader } = index;
  const { expression } = search;
  const bounded = { ...search, conditions: [...inRootsOf(reader, search), ...search.conditions] };
  const isCostly = isCostlyToAsk(expression);
  // No try at `findRare` where gathering is costly, so that it is done once; nor with conditions, because of many hits only
  // a few may meet them, and stand at the end.
  const rare = isCostly || bounded.conditions.length > 0 ? null : findRare(reader, bounded);
  if (rare !== null) return answerOf(rare, search);
  if (countUpTo(reader, expression, RANKED_HITS) <= RANKED_HITS)
    return answerOf(findAll(reader, bounded), search);
  if (isCostly) return byTime(reader, search, keysOf(reader, bounded));
  if (bounded.conditions.length > 0 || holdsRemoved(reader)) return findBounded(reader, bounded);
  const total = countUpTo(reader, expression, Number.MAX_SAFE_INTEGER);
  const sort = timeSort(search.sort);
  const groups = findByTime(reader, search.limit, { sort, find: blockFinder(reader, bounded) });
  return firstOfMany(groups, { entries: total, limit: search.limit });
}

/**
 * The hits of common words that meet conditions. They are ranked afterwards, if they turn out to be few: ranking them on
 * the way takes a fifth less time for a few, and twice the time where they are just too many.
 */
function findBounded(reader: Database, search: WordSearch): WordHits {
  const keys = keysOf(reader, search);
  if (keys.length > RANKED_HITS) return byTime(reader, search, keys);
  return answerOf(findAmong(reader, search, keys), search);
}

function answerOf(found: Found[], { sort, limit }: Wished): WordHits {
  return firstHitsOf(inOrder(found, sort), limit);
}

/** Of very many entries that match, copies are told apart only where all hits are wanted: no page of hits waits for a count. */
function firstOfMany(groups: Found[][], { entries, limit }: { entries: number; limit: number }): WordHits {
  return Number.isFinite(limit)
    ? { total: entries, totalIs: "atMost", groups }
    : { total: groups.length, totalIs: "exact", groups };
}

/** Which hits are wished for first, and how many. */
type Wished = Pick<WordSearch, "sort" | "limit">;

/** @param keys of all entries that match, smallest first: neither words nor conditions are asked about again */
function byTime(reader: Database, { sort, limit }: Wished, keys: number[]): WordHits {
  const groups = findByTime(reader, limit, { sort: timeSort(sort), find: listFinder(reader, keys) });
  return firstOfMany(groups, { entries: keys.length, limit });
}

export function timeSort(sort: SearchSort): "newest" | "oldest" {
  return sort === "oldest" ? "oldest" : "newest";
}

/** Whether an expression has prefixes: each query gathers their entries anew. */
function isCostlyToAsk(expression: string): boolean {
  return /" \*/.test(expression);
}

/** The keys of all entries that match, smallest first. */
function keysOf(reader: Database, search: WordSearch): number[] {
  const { expression, conditions } = search;
  if (conditions.length === 0 && !holdsRemoved(reader)) {
    const sql = "FROM search.entry_text t WHERE t.entry_text MATCH ?";
    return gathered(reader, { sql, values: [expression] });
  }
  return gathered(reader, clausesOfMany(search));
}

/** The numbers come as one text: 160,000 of them take a third of the time of as many rows. */
function gathered(reader: Database, { sql, values }: Condition): number[] {
  const keys = prepared(reader, `SELECT group_concat(t.rowid) ${sql}`)
    .pluck()
    .get(...values);
  return JSON.parse(`[${keys ?? ""}]`) as number[];
}

/** A condition for entries below the roots; none where the index holds no others. */
export function inRootsOf(reader: Database, { roots }: Pick<WordSearch, "roots">): Condition[] {
  return remembered(reader, `roots ${roots?.join("\0")}`, () => inRootsIfNeeded(reader, roots));
}

function countUpTo(reader: Database, expression: string, most: number): number {
  const sql = `SELECT count(*) FROM (SELECT 1 FROM search.entry_text WHERE entry_text MATCH ? ${LIMIT})`;
  return Number(
    prepared(reader, sql)
      .pluck()
      .get(expression, most + 1),
  );
}

/** All hits with their scores, or null where more than some hundreds match the expression. */
export function findFew(reader: Database, search: WordSearch): Found[] | null {
  return countUpTo(reader, search.expression, RARE_HITS) > RARE_HITS ? null : findAll(reader, search);
}

/** All hits with their scores. */
function findAll(reader: Database, search: WordSearch): Found[] {
  return scored(reader, search, clausesOf(search));
}

/** The hits whose keys are known, smallest first: the full text is asked only to rank them. */
function findAmong(reader: Database, search: WordSearch, keys: number[]): Found[] {
  if (search.sort !== "relevance") return listFinder(reader, keys)(0, Number.MAX_SAFE_INTEGER);
  return keys.length === 0 ? [] : findAll(reader, { ...search, conditions: [isAmong(keys)] });
}

/** Those of `findAll`, or null when they are not rare. */
function findRare(reader: Database, search: WordSearch): Found[] | null {
  const { sql, values } = clausesOf(search);
  const found = scored(reader, search, { sql: `${sql} ${LIMIT}`, values: [...values, RARE_HITS + 1] });
  return found.length > RARE_HITS ? null : found;
}

function scored(reader: Database, { sort, now }: WordSearch, { sql, values }: Condition): Found[] {
  const weight = sort === "relevance" ? WEIGHT : "0.0";
  const rows = prepared(reader, `SELECT e.key, e.timestamp, e.entry_id, ${weight} ${sql}`)
    .raw()
    .all(...values) as [number, number | null, string | null, number][];
  return rows.map(([key, timestamp, entryId, weighed]) => ({
    key,
    timestamp,
    entryId,
    score: rounded(weighed * freshness(timestamp, now)),
  }));
}

/**
 * `rank` is SQLite's bm25, where smaller is better; calling it as `bm25()` takes a third longer. What was said weighs more
 * than what a tool printed. The weights are near to one another, so that they decide only between texts that match about
 * as well.
 */
const WEIGHT = `-t.rank *
  CASE e.role WHEN 'user' THEN 1.4 WHEN 'assistant' THEN 1.2 WHEN 'toolResult' THEN 0.8 ELSE 1.0 END`;
/** In how many digits two indexes of the same files agree. */
const SAME_DIGITS = 5;
const QUARTER_OF_A_YEAR_MS = 90 * 24 * 60 * 60 * 1000;
/** What something keeps of its score however old it is: an old text that matches far better still comes first. */
const AGELESS = 0.4;

/** From 1 for what is new down to `AGELESS`; 0.7 for what is a quarter of a year old. */
function freshness(timestamp: number | null, now: number): number {
  const age = Math.max(0, now - (timestamp ?? NO_TIME)) / QUARTER_OF_A_YEAR_MS;
  return AGELESS + (1 - AGELESS) / (1 + age);
}

/** FTS5 adds up in the order of its segments, so that the last digits differ from one index of the same files to the next. */
function rounded(score: number): number {
  return Number(score.toPrecision(SAME_DIGITS));
}
