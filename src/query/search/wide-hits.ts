import type { Database } from "../../db/native.ts";
import type { Index } from "../../db/open.ts";
import { countHolders } from "../../db/vocabulary.ts";
import { foldWord, spaced } from "../../format/words.ts";
import { type Found, groupCopies } from "./found.ts";
import type { NamesOf, SearchQuery, Term } from "./search-query.ts";
import { type KnownWords, Sieve } from "./sieve.ts";
import { type CandidateSearch, WideCandidates } from "./wide-candidates.ts";
import { TextSearch } from "./wide-texts.ts";
import * as words from "./word-hits.ts";

export interface WideSearch extends CandidateSearch {
  query: SearchQuery;
  namesOf: NamesOf;
  /** In how many entries the words of a beginning must stand for it to be wide, an entry counted for each of them. */
  wide?: number;
}

/**
 * The full text gathers all there is of a beginning before it gives the first hit, half a microsecond an entry and word:
 * beyond this many, reading texts until there are enough hits is sooner done.
 */
const WIDE = 100_000;

/** Entries that are read at once: at first, and at most. */
const FIRST_READ = 32;
const MOST_READ = 512;
/** Entries that are read, beside as many as are wanted, before words are asked for in the place of a beginning. */
const FIRST_LOOK = 64;
const MOST_FIRST_LOOK = 300;

/**
 * Bytes of lines that are read for each entry counted as a holder of a wide beginning, in about the time in which the
 * full text would gather it: after so many it is asked all the same, and at the worst the search takes twice as long.
 */
const BYTES_PER_HOLDER = 80;
const LEAST_BYTES = 4 * 1024 * 1024;

const NOTHING_KNOWN: KnownWords = new Map();

/**
 * Finds the first hits of a query with beginnings that stand for very many words (`s*`): what the rest of the query
 * leaves is read back from the session files in the order of the hits, and looked through by a full text of its own,
 * until there are enough. Which words are the commonest is learned from what was read first: whether they stand in an
 * entry mostly decides, and then it is not read. Null when it is not worth while, or when a file is not as the index
 * knows it.
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
 * Beginnings of very many words, and how many entries hold them at least. A query without them finds all that it finds
 * with them.
 */
function wideTerms(reader: Database, { query, wide: most = WIDE }: WideSearch): Map<Term, number> {
  const held = query.flat().map((term): [Term, number] => [term, holdersOf(reader, term, most)]);
  return new Map(held.filter(([, holders]) => holders > most));
}

function mostBytesFor(wide: ReadonlyMap<Term, number>): number {
  const holders = [...wide.values()].reduce((sum, each) => sum + each, 0);
  return Math.max(LEAST_BYTES, BYTES_PER_HOLDER * holders);
}

/** Of beginnings only. */
function holdersOf(reader: Database, { text, prefix }: Term, most: number): number {
  const last = prefix
    ? spaced(text)
        .match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)
        ?.at(-1)
    : undefined;
  return last === undefined ? 0 : countHolders(reader, foldWord(last), most);
}

interface Looking {
  texts: TextSearch;
  sieve: Sieve;
  limit: number;
  /** Candidates that are looked at before it is "more". */
  most: number;
}

/** As many hits as are wanted; null when looking for them takes too long. */
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
    // Copies of the last one wanted may be still to come, unless another entry has come after it.
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
