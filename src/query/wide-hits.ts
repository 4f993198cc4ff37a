import type { Database } from "../db/native.ts";
import type { Index } from "../db/open.ts";
import { prepared } from "../db/prepared.ts";
import { ScratchText } from "../db/scratch-text.ts";
import { countHolders } from "../db/vocabulary.ts";
import { indexedText } from "../format/indexed-text.ts";
import { foldWord, spaced } from "../format/words.ts";
import { type BodyPlace, readEntry } from "./body.ts";
import { type Found, groupCopies, inOrder } from "./found.ts";
import type { WordSearch } from "./full-text.ts";
import { type NamesOf, type SearchQuery, type Term, toMatchExpression } from "./search-query.ts";
import { isPlain, type KnownWords, Sieve } from "./sieve.ts";
import { blockFinder, entryFinder, inTimeOrder, listFinder } from "./timely-hits.ts";
import * as words from "./word-hits.ts";

export interface WideSearch extends Omit<WordSearch, "expression"> {
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
/** Bytes of lines after which the full text is asked all the same: so few of them match that it is sooner done. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Entries that are read, beside as many as are wanted, before words are asked for in the place of a beginning. */
const FIRST_LOOK = 64;
const MOST_FIRST_LOOK = 300;

/** So many of the words of a wide beginning are asked for in its place. More take longer than they spare. */
const KNOWN_WORDS = 32;
/** Of how many beginnings: the full text takes 256 exceptions from an expression at most. */
const KNOWN_BEGINNINGS = 4;
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
  const texts = new TextSearch(reader, search);
  const lookThrough = (known: KnownWords, most: number) => {
    const sieve = new Sieve(reader, { ...search, wide, known });
    return firstOf(candidatesOf(reader, bounded, sieve), { texts, sieve, limit: search.limit, most });
  };
  try {
    const first = lookThrough(NOTHING_KNOWN, Math.min(FIRST_LOOK + search.limit, MOST_FIRST_LOOK));
    return first === "more" ? orNull(lookThrough(texts.knownWords(wide), Number.POSITIVE_INFINITY)) : first;
  } finally {
    texts.close();
  }
}

function orNull(found: words.WordHits | "more" | null): words.WordHits | null {
  return found === "more" ? null : found;
}

/** Beginnings of very many words. Without them a query finds all that it finds with them. */
function wideTerms(reader: Database, { query, wide: most = WIDE }: WideSearch): Set<Term> {
  return new Set(query.flat().filter((term) => holdersOf(reader, term, most) > most));
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

/** All that may be hits, in the order in which hits are shown. */
function candidatesOf(reader: Database, search: WideSearch, sieve: Sieve): Iterable<Found> {
  const sort = words.timeSort(search.sort);
  const { rest } = sieve;
  if (rest === null) return inTimeOrder(reader, { sort, find: entryFinder(reader, search.conditions) });
  const narrow = { ...search, expression: rest };
  const most = words.mostRanked(rest);
  const few = words.countUpTo(reader, rest, most) <= most ? words.findAll(reader, narrow) : null;
  const left = sieve.left();
  if (few !== null) {
    const keys = left === null ? null : new Set(left);
    return inOrder(keys === null ? few : few.filter(({ key }) => keys.has(key)), search.sort);
  }
  if (left !== null) return inTimeOrder(reader, { sort, find: listFinder(reader, left, search.conditions) });
  const find = words.isCostlyToAsk(rest)
    ? listFinder(reader, words.keysOf(reader, narrow))
    : blockFinder(reader, narrow);
  return inTimeOrder(reader, { sort, find });
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

const PLACES = `SELECT e.key, e.offset, e.length, e.line, e.entry_id AS entryId, e.type, s.version, f.real_path AS realPath
  FROM json_each(?) j CROSS JOIN entries e ON e.key = j.value
  CROSS JOIN sessions s ON s.file_id = e.file_id CROSS JOIN files f ON f.id = e.file_id`;

/** Looks for what a query asks in the texts of entries, read back from their files. */
class TextSearch {
  readonly #reader: Database;
  readonly #query: SearchQuery;
  readonly #scratch: ScratchText;
  readonly #names = new Map<string, string[]>();
  readonly #namesOf: NamesOf;
  #bytesLeft = MOST_BYTES;

  constructor(reader: Database, { query, namesOf }: WideSearch) {
    this.#reader = reader;
    this.#query = query;
    this.#namesOf = namesOf;
    this.#scratch = new ScratchText(reader);
  }

  /** The keys of those that match; null when there is too much to read, or something cannot be read. */
  matching(found: Found[]): Set<number> | null {
    if (found.length === 0) return new Set();
    const keys = JSON.stringify(found.map(({ key }) => key));
    const places = prepared(this.#reader, PLACES).all(keys) as (BodyPlace & { key: number })[];
    for (const { length } of places) this.#bytesLeft -= length;
    if (this.#bytesLeft < 0) return null;
    const texts = new Map<number, string>();
    for (const place of places) {
      const entry = readEntry(place);
      if (entry === null) return null;
      const text = indexedText(entry);
      if (text !== null) texts.set(place.key, text);
    }
    this.#scratch.fill(texts);
    return this.#scratch.keysOf(this.#expression());
  }

  /** Of what was read last, the commonest words of these beginnings. */
  knownWords(terms: Iterable<Term>): KnownWords {
    const known = new Map<Term, string[]>();
    for (const term of [...terms].filter(isPlain).slice(0, KNOWN_BEGINNINGS)) {
      const common = this.#scratch.commonest(term.text.toLowerCase(), KNOWN_WORDS);
      const plain = common.filter((word) => /^[a-z0-9]+$/.test(word));
      if (plain.length > 0) known.set(term, plain);
    }
    return known;
  }

  close(): void {
    this.#scratch.close();
  }

  /** Of the thousands of names with such a part only those that are there. */
  #expression(): string {
    const there = this.#scratch.words();
    return toMatchExpression(this.#query, (part, prefix) =>
      this.#allNames(part, prefix).filter((name) => there.has(name) || !/^[a-z0-9]*$/.test(name)),
    );
  }

  #allNames(part: string, prefix: boolean): string[] {
    const asked = prefix ? `${part}*` : part;
    const names = this.#names.get(asked) ?? this.#namesOf(part, prefix);
    this.#names.set(asked, names);
    return names;
  }
}
