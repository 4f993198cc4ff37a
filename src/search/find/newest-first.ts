import type { Filter } from "../../filters/filter.ts";
import { type Condition, whereClause } from "../../filters/where.ts";
import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import { KEYS_PER_BLOCK, NO_TIME, rowidsBetween } from "../fts/key-blocks.ts";
import { clausesOf, joinsForHits, toFound, type WordSearch } from "./match-sql.ts";
import { FirstGroups, type Found, groupCopies, inOrder } from "./matches.ts";

export interface ByTime {
  sort: "newest" | "oldest";
  find: FindBetween;
  /** Blocks without any entry of that time are not looked at; all of them unless told. */
  time?: TimeSpan | undefined;
}

/** Unix ms; `until` itself is outside. */
export type TimeSpan = Pick<Filter, "since" | "until">;

/** The hits whose keys lie between two, both included. */
export type FindBetween = (first: number, last: number) => Found[];

/** The first hits by time. They stand in the newest (or oldest) blocks of keys; mostly only one or two are looked at. */
export function findByTime(reader: Database, limit: number, { sort, find }: ByTime): Found[][] {
  if (!Number.isFinite(limit)) return groupCopies(inOrder(find(0, Number.MAX_SAFE_INTEGER), sort));
  const best = new FirstGroups(sort, limit);
  for (const { block, bound } of blocksBy(reader, sort)) {
    const { last } = best;
    if (last !== undefined && isBeyond(bound, last.timestamp ?? NO_TIME, sort)) break;
    best.add(find(block * KEYS_PER_BLOCK, (block + 1) * KEYS_PER_BLOCK - 1));
  }
  return best.inOrder();
}

/** All hits by time; a block is read when its hits are asked for. Copies have the same time, so they come together. */
export function* inTimeOrder(reader: Database, { sort, find, time }: ByTime): Generator<Found> {
  let waiting: Found[] = [];
  for (const { block, bound } of blocksBy(reader, sort, time)) {
    const first = waiting.findIndex(
      ({ timestamp }) => !isBeyond(timestamp ?? NO_TIME, bound, OPPOSITE[sort]),
    );
    yield* waiting.splice(0, first < 0 ? waiting.length : first);
    waiting = inOrder([...waiting, ...find(block * KEYS_PER_BLOCK, (block + 1) * KEYS_PER_BLOCK - 1)], sort);
  }
  yield* waiting;
}

const OPPOSITE = { newest: "oldest", oldest: "newest" } as const;

/** Whether every entry within a bound comes after a time, and none at it: copies of a hit have the same time. */
function isBeyond(bound: number, time: number, sort: "newest" | "oldest"): boolean {
  return sort === "newest" ? bound < time : bound > time;
}

const BLOCKS = {
  newest:
    "SELECT block, newest AS bound FROM search.key_blocks WHERE newest >= ? AND oldest < ? ORDER BY newest DESC",
  oldest:
    "SELECT block, oldest AS bound FROM search.key_blocks WHERE newest >= ? AND oldest < ? ORDER BY oldest",
};

function blocksBy(
  reader: Database,
  sort: "newest" | "oldest",
  { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER }: TimeSpan = {},
): Iterable<{ block: number; bound: number }> {
  return prepared(reader, BLOCKS[sort]).all(since, until) as { block: number; bound: number }[];
}

const IN_BLOCK = rowidsBetween("t");

export function blockFinder(reader: Database, search: WordSearch): FindBetween {
  const clauses = clausesOf(search, { sql: IN_BLOCK, values: [] });
  const statement = prepared(reader, `SELECT e.key, e.timestamp, e.entry_id ${clauses.sql}`).raw();
  const [expression, ...values] = clauses.values;
  return (first, last) => toFound(statement.all(expression, first, last, ...values));
}

const LISTED =
  "SELECT e.key, e.timestamp, e.entry_id FROM json_each(?) j CROSS JOIN entries e ON e.key = j.value";

/** A finder for when the keys of all that matches are known, smallest first. */
export function listFinder(reader: Database, keys: readonly number[]): FindBetween {
  const statement = prepared(reader, LISTED).raw();
  return (first, last) => {
    const some = keysBetween(keys, first, last);
    return some.length === 0 ? [] : toFound(statement.all(JSON.stringify(some)));
  };
}

/** A finder that gives every entry which meets the conditions. */
export function entryFinder(reader: Database, conditions: Condition[]): FindBetween {
  const where = whereClause([{ sql: "e.key BETWEEN ? AND ?", values: [] }, ...conditions]);
  const statement = prepared(
    reader,
    `SELECT e.key, e.timestamp, e.entry_id FROM entries e ${joinsForHits(conditions)} ${where.sql}`,
  ).raw();
  return (first, last) => toFound(statement.all(first, last, ...where.values));
}

/** Of sorted keys those between two, both included. */
function keysBetween(keys: readonly number[], first: number, last: number): number[] {
  return keys.slice(placeOf(keys, first), placeOf(keys, last + 1));
}

/** The place of the first of sorted numbers that is not smaller than `wanted`. */
function placeOf(sorted: readonly number[], wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
