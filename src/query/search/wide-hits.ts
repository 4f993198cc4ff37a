import type { Database } from "../../db/native.ts";
import type { Index } from "../../db/open.ts";
import { countHolders } from "../../db/vocabulary.ts";
import { foldWord, spaced } from "../../format/words.ts";
import { type Found, groupCopies } from "./found.ts";
import { lastWordOf, type NamesOf, type SearchQuery, type Term } from "./search-query.ts";
import { type KnownWords, Sieve } from "./sieve.ts";
import { type CandidateSearch, WideCandidates } from "./wide-candidates.ts";
import { TextSearch } from "./wide-texts.ts";
import * as words from "./word-hits.ts";

export interface WideSearch extends CandidateSearch {
  query: SearchQuery;
  namesOf: NamesOf;
  /** A beginning is wide when its words stand in so many entries, an entry counted once for each of the words. */
  wide?: number;
}

/**
 * Before the full text gives the first hit it gathers all entries of a beginning, at half a microsecond for each entry and
 * word. Beyond this many it is quicker to read texts until there are enough hits.
 */
const WIDE = 100_000;

/** How many entries are read at once: at first, and at most. */
const FIRST_READ = 32;
const MOST_READ = 512;
/** So many entries more than are wanted are read before words are asked for in the place of a beginning. */
const FIRST_LOOK = 64;
const MOST_FIRST_LOOK = 300;

/**
 * Bytes of lines that can be read in the time in which the full text gathers one entry of a wide beginning. When as many
 * were read for each of its entries, the full text is asked after all: so a search takes twice as long at the worst.
 */
const BYTES_PER_HOLDER = 80;
const LEAST_BYTES = 4 * 1024 * 1024;

const NOTHING_KNOWN: KnownWords = new Map();

/**
 * Finds the first hits of a query with beginnings that stand for very many words (`s*`). The entries that the rest of the
 * query leaves are read back from the session files, in the order of the hits, and searched by a small full text in memory,
 * until there are enough hits. From the first texts it learns which words with these beginnings are the commonest: whether
 * those stand in an entry decides most cases without reading it. Null when this is not worth while, or when a file is not
 * as the index knows it.
 *
 * Where the rest of the query has few hits, these come by its relevance; else the newest come first.
 */
export function findWide(index: Index, search: WideSearch): words.WordHits | null {
  if (!Number.isFinite(search.limit)) return null;
  const { reader } = index;
  const wide = wideTerms(reader, search);
  if (wide.size === 0) return null;
  const bounded = { ...search, conditions: [...words.rootsOf(reader, search), ...search.conditions] };
  const texts = new TextSearch(reader, { ...search, mostBytes: mostBytesFor(wide) });
  const candidates = new WideCandidates(reader, bounded);
  const lookThrough = (known: KnownWords, most: number) => {
    const sieve = new Sieve(reader, { ...search, wide: new Set(wide.keys()), known });
    return firstOf(candidates.inOrder(sieve), { texts, sieve, limit: search.limit, most });
  };
  try {
    const first = lookThrough(NOTHING_KNOWN, Math.min(FIRST_LOOK + search.limit, MOST_FIRST_LOOK));
    return first === "more"
      ? orNull(lookThrough(texts.learnWords(wide.keys()), Number.POSITIVE_INFINITY))
      : first;
  } finally {
    texts.close();
  }
}

function orNull(found: words.WordHits | "more" | null): words.WordHits | null {
  return found === "more" ? null : found;
}

/**
 * The query's beginnings of very many words, with how many entries hold them at least. Without them the query finds all
 * that it finds with them, and more.
 */
function wideTerms(reader: Database, { query, wide: most = WIDE }: WideSearch): Map<Term, number> {
  const held = query.flat().map((term): [Term, number] => [term, holdersOf(reader, term, most)]);
  return new Map(held.filter(([, holders]) => holders > most));
}

function mostBytesFor(wide: ReadonlyMap<Term, number>): number {
  const holders = [...wide.values()].reduce((sum, each) => sum + each, 0);
  return Math.max(LEAST_BYTES, BYTES_PER_HOLDER * holders);
}

/** How many entries hold a term that is a beginning; 0 for other terms. */
function holdersOf(reader: Database, { text, prefix }: Term, most: number): number {
  const last = prefix ? lastWordOf(spaced(text)) : null;
  return last === null ? 0 : countHolders(reader, foldWord(last.word), most);
}

interface Looking {
  texts: TextSearch;
  sieve: Sieve;
  limit: number;
  /** How many candidates are looked at before the answer is "more". */
  most: number;
}

/** The first hits, as many as are wanted; null when finding them would take too long. */
function firstOf(
  candidates: Iterable<Found>,
  { texts, sieve, limit, most }: Looking,
): words.WordHits | "more" | null {
  const found: Found[] = [];
  let looked = 0;
  for (const some of inReads(candidates)) {
    const matching = texts.matching(some.filter(({ key }) => !sieve.isSure(key)));
    if (matching === null) return null;
    found.push(...some.filter(({ key }) => sieve.isSure(key) || matching.has(key)));
    const groups = groupCopies(found);
    // Unless another entry has come after the last wanted one, copies of that may still come.
    if (groups.length > limit) {
      return { total: found.length, isTotalExact: false, groups: groups.slice(0, limit) };
    }
    looked += some.length;
    if (looked >= most) return "more";
  }
  return { total: found.length, isTotalExact: true, groups: groupCopies(found) };
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
