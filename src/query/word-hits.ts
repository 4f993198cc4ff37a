import { KEYS_PER_BLOCK, NO_TIME } from "../db/key-blocks.ts";
import type { Database } from "../db/native.ts";
import type { Index } from "../db/open.ts";
import { type Condition, whereClause } from "./conditions.ts";
import { type Found, groupCopies, inOrder } from "./found.ts";
import type { SearchSort } from "./search-sort.ts";

/** What is looked for in the full text. */
export interface WordSearch {
  /** In the full-text index's own language. */
  expression: string;
  /** Upon `entries e`, `sessions s` and `files f`. */
  conditions: Condition[];
  sort: SearchSort;
  /** `Infinity`: all. */
  limit: number;
  /** Unix ms. */
  now: number;
}

export interface WordHits {
  /** How many entries match, copies in forks included. */
  total: number;
  /** Best first, an entry with its copies. */
  groups: Found[][];
}

/** Ranking costs a microsecond a hit: above this many hits, the newest are the best. */
const RANKED_HITS = 20_000;
/** Ranking looks at every alternative of the expression: so many cost as much again as the hit itself. */
const ALTERNATIVES = 60;
/** The newest hits are looked for in so many blocks of keys before all hits are looked at. */
const MOST_BLOCKS = 64;

/** Finds entries by the full text as it stands. */
export function findByWords(index: Index, search: WordSearch): WordHits {
  const { reader } = index;
  const found = findRanked(reader, search);
  if (found !== null) {
    return { total: found.length, groups: groupCopies(inOrder(found, search.sort)).slice(0, search.limit) };
  }
  const sort = search.sort === "oldest" ? "oldest" : "newest";
  return { total: count(reader, search), groups: findByTime(reader, search, sort) };
}

/** Null when there are more than can be ranked in good time. */
function findRanked(reader: Database, search: WordSearch): Found[] | null {
  const most = mostRanked(search.expression);
  const mayBeFew = search.conditions.length > 0 || countUpTo(reader, search.expression, most) <= most;
  return mayBeFew ? findFew(reader, search, most) : null;
}

function mostRanked(expression: string): number {
  const alternatives = expression.split(" OR ").length;
  return Math.floor(RANKED_HITS / (1 + alternatives / ALTERNATIVES));
}

function countUpTo(reader: Database, expression: string, most: number): number {
  const sql = "SELECT count(*) FROM (SELECT 1 FROM search.entry_text WHERE entry_text MATCH ? LIMIT ?)";
  return Number(
    reader
      .prepare(sql)
      .pluck()
      .get(expression, most + 1),
  );
}

const JOINS = `CROSS JOIN entries e ON e.key = t.rowid
  CROSS JOIN sessions s ON s.file_id = e.file_id CROSS JOIN files f ON f.id = e.file_id`;

/** The clauses that bring a hit's entry. The full text is asked first: it cannot be asked for single entries. */
function clausesOf({ expression, conditions }: WordSearch, ...more: Condition[]): Condition {
  const where = whereClause([{ sql: "t.entry_text MATCH ?", values: [expression] }, ...more, ...conditions]);
  const needsSession = conditions.some(({ sql }) => /\b[sf]\./.test(sql));
  const joins = needsSession ? JOINS : "CROSS JOIN entries e ON e.key = t.rowid";
  return { sql: `FROM search.entry_text t ${joins} ${where.sql}`, values: where.values };
}

/** All hits with their scores, or null when there are more than that many. */
function findFew(reader: Database, search: WordSearch, most: number): Found[] | null {
  const clauses = clausesOf(search);
  const rank = search.sort === "relevance" ? "bm25(entry_text)" : "0.0";
  const rows = reader
    .prepare(`SELECT e.key, e.timestamp, e.entry_id, e.role, ${rank} ${clauses.sql} LIMIT ?`)
    .raw()
    .all(...clauses.values, most + 1) as [number, number | null, string | null, string | null, number][];
  if (rows.length > most) return null;
  return rows.map(([key, timestamp, entryId, role, bm25]) => ({
    key,
    timestamp,
    entryId,
    score: scoreOf({ bm25, role, timestamp }, search.now),
  }));
}

/** What was said weighs more than what a tool printed. */
const WEIGHTS = new Map([
  ["user", 1.4],
  ["assistant", 1.2],
  ["toolResult", 0.8],
]);
const QUARTER_OF_A_YEAR_MS = 90 * 24 * 60 * 60 * 1000;

/** What is a quarter of a year old weighs about two thirds of what is new. SQLite's bm25 is the smaller the better. */
function scoreOf(
  { bm25, role, timestamp }: { bm25: number; role: string | null; timestamp: number | null },
  now: number,
): number {
  const age = Math.max(0, now - (timestamp ?? NO_TIME)) / QUARTER_OF_A_YEAR_MS;
  return -bm25 * (WEIGHTS.get(role ?? "") ?? 1) * (0.4 + 0.6 / (1 + age));
}

/** Without conditions the full text alone knows, unless it still holds entries that are gone. */
function count(reader: Database, search: WordSearch): number {
  const clauses = clausesOf(search);
  const alone = "FROM search.entry_text t WHERE t.entry_text MATCH ?";
  const from = search.conditions.length === 0 && !holdsRemoved(reader) ? alone : clauses.sql;
  return Number(
    reader
      .prepare(`SELECT count(*) ${from}`)
      .pluck()
      .get(...clauses.values),
  );
}

const HOLDS_REMOVED = `SELECT coalesce(max(seq), 0) > coalesce((SELECT CAST(value AS INTEGER) FROM search.meta
  WHERE name = 'removed_seq'), 0) FROM removed_keys`;

function holdsRemoved(reader: Database): boolean {
  return reader.prepare(HOLDS_REMOVED).pluck().get() === 1;
}

/** The first hits by time. They stand in the newest (or oldest) blocks of keys; mostly one or two need be looked at. */
function findByTime(reader: Database, search: WordSearch, sort: "newest" | "oldest"): Found[][] {
  const { limit } = search;
  if (!Number.isFinite(limit)) return groupCopies(inOrder(findInBlocks(reader, search), sort));
  let best: Found[][] = [];
  const find = blockFinder(reader, search);
  let looked = 0;
  for (const { block, bound } of blocksBy(reader, sort)) {
    const last = best[limit - 1]?.[0];
    if (last !== undefined && isBeyond(bound, last.timestamp ?? NO_TIME, sort)) return best;
    if (++looked > MOST_BLOCKS)
      return groupCopies(inOrder(findInBlocks(reader, search), sort)).slice(0, limit);
    best = groupCopies(inOrder([...best.flat(), ...find(block)], sort)).slice(0, limit);
  }
  return best;
}

/** Whether all that lies within a bound comes after a time. Copies have the same time, so that must be beyond it. */
function isBeyond(bound: number, time: number, sort: "newest" | "oldest"): boolean {
  return sort === "newest" ? bound < time : bound > time;
}

const BLOCKS = {
  newest: "SELECT block, newest AS bound FROM search.key_blocks ORDER BY newest DESC",
  oldest: "SELECT block, oldest AS bound FROM search.key_blocks ORDER BY oldest",
};

function blocksBy(reader: Database, sort: "newest" | "oldest"): Iterable<{ block: number; bound: number }> {
  return reader.prepare(BLOCKS[sort]).all() as { block: number; bound: number }[];
}

// Bound numbers are floating-point numbers, with which the full text cannot limit its rowids.
const IN_BLOCK = "t.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)";

function blockFinder(reader: Database, search: WordSearch): (block: number) => Found[] {
  const clauses = clausesOf(search, { sql: IN_BLOCK, values: [] });
  const statement = reader.prepare(`SELECT e.key, e.timestamp, e.entry_id ${clauses.sql}`).raw();
  const [expression, ...values] = clauses.values;
  return (block) => {
    const first = block * KEYS_PER_BLOCK;
    return toFound(statement.all(expression, first, first + KEYS_PER_BLOCK - 1, ...values));
  };
}

function findInBlocks(reader: Database, search: WordSearch): Found[] {
  const clauses = clausesOf(search);
  return toFound(
    reader
      .prepare(`SELECT e.key, e.timestamp, e.entry_id ${clauses.sql}`)
      .raw()
      .all(...clauses.values),
  );
}

function toFound(rows: unknown[]): Found[] {
  return (rows as [number, number | null, string | null][]).map(([key, timestamp, entryId]) => ({
    ...{ key, timestamp, entryId },
    score: 0,
  }));
}
