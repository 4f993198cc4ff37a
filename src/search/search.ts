import { isAbsolute, resolve } from "node:path";
import { SessionDbError } from "../errors.ts";
import type { Filter } from "../filters/filter.ts";
import { type FilterWorld, readFilter } from "../filters/filter-words.ts";
import { type Condition, inRoots, inTime, notAllOf, ofEntry, ofSession } from "../filters/where.ts";
import { INDEXED, WHOLE } from "../format/searchable.ts";
import { processEnvironment } from "../runtime/env.ts";
import type { Index } from "../store/open.ts";
import { inOneState, remembered } from "../store/statements.ts";
import { toIso } from "../time/calendar.ts";
import { ownTimezone } from "../time/zone.ts";
import { findHighFanout } from "./find/high-fanout-prefixes.ts";
import type { WordHits } from "./find/matches.ts";
import { findByWords } from "./find/word-search.ts";
import { entriesBehind, readFullTextState } from "./full-text-state.ts";
import type { SearchResult } from "./hits/hit.ts";
import { HitSessions } from "./hits/hit-sessions.ts";
import { readHits } from "./hits/read-hits.ts";
import { substringMatcher, wordMatcher } from "./query/matcher.ts";
import { type QueryConditions, splitQuery } from "./query/qualifiers.ts";
import { MOST_TERMS, withRarest } from "./query/rarest-terms.ts";
import { parseSearchQuery, type SearchQuery, toMatchExpression } from "./query/search-query.ts";
import { readSearchSort, type SearchSort } from "./query/search-sort.ts";
import { findBySubstring } from "./substring/substring-search.ts";

export { MOST_TERMS };

export interface SearchOptions {
  /** What a word of the query says (`role:user`) goes before what stands here. */
  filter?: Filter;
  /** Only sessions below these folders. */
  roots?: string[];
  /** `relevance` unless told; queries with very many hits are answered newest first all the same. */
  sort?: SearchSort;
  /** 20 unless told; 0: all. */
  limit?: number;
  /** The query is a text to be found exactly, of any characters; the session files are looked through for it. */
  substring?: boolean;
  /** How many entries before and after each hit are wanted. */
  context?: number;
  /** Secrets are shown as they are; they are masked unless told. */
  reveal?: boolean;
  /** Unix ms: what is recent, and what `since:7d` counts from. */
  now?: number;
  /** The IANA zone in which days begin, for `since:today`; the system's unless told. */
  timezone?: string;
  /** What a directory in `project:` or `here:` is called from the root. Relative ones are refused unless told. */
  absolutePath?: (path: string, source: string) => string;
}

/** The options, and what the query says besides words. */
export interface Wanted extends SearchOptions {
  /** What no hit may meet, each by itself. */
  without?: Filter[];
}

const DEFAULT_LIMIT = 20;

/**
 * Searches everything that was said, from the index as it stands. A query is made of words that must all be there,
 * `"phrases"`, `-without`, `begin*`, `this OR that`, parentheses, and conditions as `role:user tool:bash model:sonnet since:2w
 * label:todo has:error project:/dir origin:fork named:yes limit:5 sort:newest`, or `-role:user` for entries that do not
 * meet one. Without a word nothing is found.
 *
 * @throws SessionDbError `usage` for a query that only leaves out, or a condition that makes no sense
 */
export function searchEntries(index: Index, query: string, options: SearchOptions = {}): SearchResult {
  return searchFor(index, readQuery(query, options));
}

/** Answers a query that has been read. */
export function searchFor(index: Index, asked: ReadQuery): SearchResult {
  const { query, words, wanted } = asked;
  if (wanted.substring === true) return searchSubstring(index, query, wanted);
  const parsed = parseSearchQuery(words);
  // It is not opened then, because a connection that may only read cannot make it.
  if (!index.hasFullText) return nothing(query, entriesBehind(index, wanted.roots));
  // So that hits and what is said about them come from one state of the index. It also spares a lock for each statement.
  const question = { query, parsed, wanted, shown: shown(wanted) };
  const find = () => inOneState(index.reader, () => findAndRead(index, question));
  // Twice, because a state of one database may have been seen beside a later one of the other.
  return find() ?? find() ?? nothing(query, entriesBehind(index, wanted.roots));
}

interface WordQuestion {
  query: string;
  parsed: SearchQuery | null;
  wanted: Wanted;
  shown: { context: number; reveal: boolean };
}

/** Null where the full text has not followed this index. */
function findAndRead(index: Index, { query, parsed, wanted, shown }: WordQuestion): SearchResult | null {
  if (!readFullTextState(index).isOurs) return null;
  const behind = entriesBehind(index, wanted.roots);
  if (parsed === null) return nothing(query, behind);
  const { query: asked, leftOut } = withRarest(index.reader, parsed);
  const search = {
    conditions: conditionsOf(wanted),
    roots: wanted.roots,
    sort: wanted.sort ?? "relevance",
    limit: limitOf(wanted),
    now: wanted.now ?? Date.now(),
  };
  const { groups, ...total } =
    findHighFanout(index, { ...search, query: asked, time: wanted.filter }) ??
    findByWords(index, { ...search, expression: toMatchExpression(asked) });
  const hits = readHits(index, groups, {
    connection: index.reader,
    sessions: remembered(index.reader, "sessions of hits", () => new HitSessions()),
    matcher: wordMatcher(asked),
    limits: INDEXED,
    ...shown,
  });
  return { query, ...totalsOf(total), behind, leftOut: leftOut.map(({ text }) => text), hits };
}

function searchSubstring(index: Index, query: string, options: SearchOptions): SearchResult {
  if (query === "") return nothing(query, 0);
  const { groups, ...total } = findBySubstring(index, {
    needle: query,
    conditions: [...inRoots(options.roots), ...conditionsOf(options)],
    sort: options.sort ?? "newest",
    limit: limitOf(options),
  });
  const hits = readHits(index, groups, {
    connection: index.database,
    sessions: new HitSessions(),
    matcher: substringMatcher(query),
    limits: WHOLE,
    ...shown(options),
  });
  return { query, ...totalsOf(total), behind: 0, leftOut: [], hits };
}

function nothing(query: string, behind: number): SearchResult {
  return { query, ...totalsOf({ total: 0, totalIs: "exact" }), behind, leftOut: [], hits: [] };
}

function totalsOf({ total, totalIs }: Omit<WordHits, "groups">) {
  return { total, isTotalExact: totalIs === "exact", totalIs };
}

function shown({ context = 0, reveal = false }: SearchOptions): { context: number; reveal: boolean } {
  return { context, reveal };
}

/** How many hits are shown at most. */
export function limitOf({ limit = DEFAULT_LIMIT }: SearchOptions): number {
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

/** A query taken apart. */
export interface ReadQuery {
  /** As it was written. */
  query: string;
  /** What is left to look for. */
  words: string;
  /** What the query says goes before the options. */
  wanted: Wanted;
}

/** Takes a query apart. In a search for a substring all of it is the text to be found. @throws SessionDbError `usage` */
export function readQuery(query: string, options: SearchOptions): ReadQuery {
  if (options.substring === true) return { query, words: query, wanted: options };
  const { words, conditions, without } = splitQuery(query);
  const { limit, sort, ...written } = conditions;
  const world = {
    now: options.now ?? Date.now(),
    // Asking the system for its zone takes longer than a search.
    get timezone() {
      return options.timezone ?? ownTimezone(processEnvironment().TZ) ?? "UTC";
    },
    absolutePath: options.absolutePath ?? onlyAbsolute,
  };
  const filter = { ...options.filter, ...readFilter(written, world, (key) => `${key}:`) };
  if ((written.since === undefined) !== (written.until === undefined)) assertSomeTime(filter);
  const wanted = {
    ...options,
    filter,
    without: without.map((each) => readUnwanted(each, world)),
    ...(sort !== undefined && { sort: readSearchSort(sort, "sort:") }),
    ...(limit !== undefined && { limit: readLimit(limit) }),
  };
  return { query, words, wanted };
}

function readUnwanted({ limit, sort, ...written }: QueryConditions, world: FilterWorld): Filter {
  const key = limit !== undefined ? "limit" : sort !== undefined ? "sort" : undefined;
  if (key === undefined) return readFilter(written, world, (name) => `-${name}:`);
  throw new SessionDbError("usage", `-${key}: leaves nothing out`, {
    hint: `Write ${key}: without the dash. To leave out a text, quote it: -"${key}:..."`,
  });
}

/** For `since` from the query and `until` from the options, or the reverse: of two from one place it is known already. */
function assertSomeTime({ since, until }: Filter): void {
  if (since === undefined || until === undefined || since < until) return;
  throw new SessionDbError("usage", `since ${toIso(since)} is after until ${toIso(until - 1)}`, {
    hint: "Swap them, or leave one out.",
  });
}

function readLimit(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new SessionDbError("usage", `limit: takes a whole number, not "${text}"`, { hint: "0 means all." });
}

function onlyAbsolute(path: string, source: string): string {
  if (isAbsolute(path)) return resolve(path);
  throw new SessionDbError("usage", `${source} is a relative path: ${path}`, {
    hint: "Give an absolute path.",
  });
}

function conditionsOf({ filter = {}, without = [] }: Wanted): Condition[] {
  return [...meeting(filter), ...without.flatMap((each) => notAllOf(meeting(each)))];
}

function meeting(filter: Filter): Condition[] {
  return [...ofSession(filter), ...ofEntry(filter), ...inTime("e.timestamp", filter)];
}
