import { INDEXED } from "../../format/searchable.ts";
import type { Database } from "../../store/native.ts";
import type { Index } from "../../store/open.ts";
import { prepared } from "../../store/statements.ts";
import { type BodyPlace, PLACE_COLUMNS, readTextsOfBody } from "../../store/tables/entry-bodies.ts";
import { IndexedText } from "../fts/indexed-text.ts";
import { ScratchText } from "../fts/scratch-text.ts";
import { foldWord, spaced } from "../fts/tokenizer.ts";
import { countHolders } from "../fts/vocabulary.ts";
import {
  isAnswerable,
  lastWordOf,
  prefixesOf,
  type SearchQuery,
  type Term,
  toMatchExpression,
  withoutPrefixes,
} from "../query/search-query.ts";
import type { WordSearch } from "./match-sql.ts";
import { type Found, firstHitsOf, groupCopies, inOrder, type WordHits } from "./matches.ts";
import { blockFinder, entryFinder, type FindBetween, inTimeOrder, type TimeSpan } from "./newest-first.ts";
import { findFew, inRootsOf, timeSort } from "./word-search.ts";

export interface HighFanoutSearch extends Omit<WordSearch, "expression"> {
  query: SearchQuery;
  /** The time in which all hits lie; the conditions say the same. */
  time?: TimeSpan | undefined;
  /** A prefix has a high fan-out where its words stand in more entries than this, an entry counted once for each word. */
  mostHolders?: number;
  /** After so many milliseconds no more texts are read; 250 unless told. */
  mostMs?: number;
}

/** So many entries FTS5 gathers in 50 ms. */
const MOST_HOLDERS = 100_000;
const MOST_MS = 250;

/** How many texts are read at once: at first, and at most. */
const FIRST_READ = 32;
const MOST_READ = 128;

/**
 * Answers a query with a prefix of very many words (`s*`) within a time. Before FTS5 gives the first hit it gathers all
 * entries with any of these words, at half a microsecond for each entry and word. So entries that match the rest of the
 * query are read back from the session files, from the newest on, and matched by a small full text in memory, until there
 * are enough hits or the time is over: then there may be more. Where few entries match the rest, these are read in
 * the order of their relevance.
 *
 * Null where FTS5 is to be asked: without such a prefix, where all hits are wanted, and where a session file is not as the
 * index knows it.
 */
export function findHighFanout({ reader }: Index, search: HighFanoutSearch): WordHits | null {
  const { query, limit, mostHolders = MOST_HOLDERS, mostMs = MOST_MS } = search;
  const isOver = overAfter(mostMs);
  if (
    !Number.isFinite(limit) ||
    !prefixesOf(query).some((term) => holdersOf(reader, term, mostHolders) > mostHolders)
  )
    return null;
  const texts = new TextMatcher(reader, query);
  try {
    return firstHits(candidatesOf(reader, search, isOver), { texts, limit, isOver });
  } finally {
    texts.close();
  }
}

/** How many entries hold a term that is a prefix. */
function holdersOf(reader: Database, { text }: Term, most: number): number {
  const last = lastWordOf(spaced(text));
  return last === null ? 0 : countHolders(reader, foldWord(last.word), most);
}

function overAfter(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

/** Entries that meet the conditions and match all of the query but its prefixes, in the order of the hits. */
function candidatesOf(reader: Database, search: HighFanoutSearch, isOver: () => boolean): Iterable<Found> {
  const conditions = [...inRootsOf(reader, search), ...search.conditions];
  const rest = withoutPrefixes(search.query);
  let find: FindBetween;
  if (rest !== null && isAnswerable(rest)) {
    const narrow = { ...search, conditions, expression: toMatchExpression(rest) };
    const few = findFew(reader, narrow);
    if (few !== null) return inOrder(few, search.sort);
    find = blockFinder(reader, narrow);
  } else find = entryFinder(reader, conditions);
  return inTimeOrder(reader, {
    sort: timeSort(search.sort),
    time: search.time,
    find: (first, last) => (isOver() ? [] : find(first, last)),
  });
}

interface Looking {
  texts: TextMatcher;
  limit: number;
  isOver: () => boolean;
}

/** Null where a text cannot be read. */
function firstHits(candidates: Iterable<Found>, { texts, limit, isOver }: Looking): WordHits | null {
  const found: Found[] = [];
  for (const some of inReads(candidates)) {
    const matching = texts.matching(some);
    if (matching === null) return null;
    found.push(...some.filter(({ key }) => matching.has(key)));
    const groups = groupCopies(found);
    // Unless another entry has come after the last wanted one, copies of that may still come.
    if (groups.length > limit || isOver()) {
      return { total: groups.length, totalIs: "atLeast", groups: groups.slice(0, limit) };
    }
  }
  const hits = firstHitsOf(found, limit);
  return isOver() ? { ...hits, totalIs: "atLeast" } : hits;
}

function* inReads(candidates: Iterable<Found>): Generator<Found[]> {
  let some: Found[] = [];
  let size = FIRST_READ;
  for (const each of candidates) {
    some.push(each);
    if (some.length < size) continue;
    yield some;
    some = [];
    size = Math.min(size * 2, MOST_READ);
  }
  if (some.length > 0) yield some;
}

const PLACES = `SELECT e.key, ${PLACE_COLUMNS}
  FROM json_each(?) j CROSS JOIN entries e ON e.key = j.value
  CROSS JOIN sessions s ON s.file_id = e.file_id CROSS JOIN files f ON f.id = e.file_id`;

/** Matches the texts of entries, read back from their files. */
class TextMatcher {
  readonly #reader: Database;
  readonly #expression: string;
  readonly #scratch: ScratchText;
  readonly #indexed = new IndexedText();

  constructor(reader: Database, query: SearchQuery) {
    this.#reader = reader;
    this.#expression = toMatchExpression(query);
    this.#scratch = new ScratchText(reader);
  }

  /** The keys of those that match; null where something cannot be read. */
  matching(found: readonly Found[]): Set<number> | null {
    const keys = JSON.stringify(found.map(({ key }) => key));
    const read = new Map<number, Buffer>();
    for (const place of prepared(this.#reader, PLACES).all(keys) as (BodyPlace & { key: number })[]) {
      const texts = readTextsOfBody(place, INDEXED);
      if (texts === null) return null;
      const text = this.#indexed.of(texts);
      if (text !== null) read.set(place.key, text);
    }
    this.#scratch.fill(read);
    return this.#scratch.keysOf(this.#expression);
  }

  close(): void {
    this.#scratch.close();
  }
}
