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

/**
 * Finds the first hits of a query with beginnings that stand for very many words (`s*`): what the rest of the query
 * leaves is read back from the session files in the order of the hits, and looked through by a full text of its own,
 * until there are enough. Null when it is not worth while, or when a file is not as the index knows it.
 *
 * Where the rest of the query has few hits, these come by its relevance; else the newest come first.
 */
export function findWide(index: Index, search: WideSearch): words.WordHits | null {
  if (!Number.isFinite(search.limit)) return null;
  const { reader } = index;
  const narrow = withoutWide(reader, search);
  if (narrow === search.query) return null;
  const conditions = [...words.rootsOf(reader, search), ...search.conditions];
  const texts = new TextSearch(reader, search);
  try {
    return firstOf(candidatesOf(reader, { ...search, conditions, query: narrow }), texts, search.limit);
  } finally {
    texts.close();
  }
}

/** The query without its wide beginnings, which finds all that it finds; itself when there are none. */
function withoutWide(reader: Database, { query, wide: most = WIDE }: WideSearch): SearchQuery {
  const wide = new Set(query.flat().filter((term) => holdersOf(reader, term, most) > most));
  return wide.size === 0 ? query : query.map((terms) => terms.filter((term) => !wide.has(term)));
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
function candidatesOf(reader: Database, { query, namesOf, ...search }: WideSearch): Iterable<Found> {
  const sort = words.timeSort(search.sort);
  const isNarrow = query.every((terms) => terms.some(({ negated }) => !negated));
  if (!isNarrow) return inTimeOrder(reader, { sort, find: entryFinder(reader, search.conditions) });
  const rest = { ...search, expression: toMatchExpression(query, namesOf) };
  const most = words.mostRanked(rest.expression);
  if (words.countUpTo(reader, rest.expression, most) <= most) {
    return inOrder(words.findAll(reader, rest), search.sort);
  }
  const find = words.isCostlyToAsk(rest.expression)
    ? listFinder(reader, words.keysOf(reader, rest))
    : blockFinder(reader, rest);
  return inTimeOrder(reader, { sort, find });
}

/** As many hits as are wanted; null when looking for them takes too long. */
function firstOf(candidates: Iterable<Found>, texts: TextSearch, limit: number): words.WordHits | null {
  const found: Found[] = [];
  for (const some of inReads(candidates)) {
    const hits = texts.matching(some);
    if (hits === null) return null;
    found.push(...hits);
    const groups = groupCopies(found);
    // Copies of the last one wanted may be still to come, unless another entry has come after it.
    if (groups.length > limit) {
      return { total: found.length, isTotalExact: false, groups: groups.slice(0, limit) };
    }
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

  /** Those that match, in the same order; null when there is too much to read, or something cannot be read. */
  matching(found: Found[]): Found[] | null {
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
    const matching = this.#scratch.keysOf(this.#expression());
    return found.filter(({ key }) => matching.has(key));
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
