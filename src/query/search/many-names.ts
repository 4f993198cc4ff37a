import type { Database } from "../../db/native.ts";
import type { Index } from "../../db/open.ts";
import type { WordSearch } from "./full-text.ts";
import { type NamesOf, namesFor, type SearchQuery, type Term, toMatchExpression } from "./search-query.ts";
import {
  answerOf,
  byTime,
  findAmong,
  keysAmong,
  keysMatching,
  mostRanked,
  rootsOf,
  type WordHits,
} from "./word-hits.ts";

export interface ManyNamesSearch extends Omit<WordSearch, "expression"> {
  query: SearchQuery;
  namesOf: NamesOf;
  /** A query has many names when it has more than this; 4,000 unless told. */
  many?: number;
  /** How many are asked for at once; 1,000 unless told. */
  atOnce?: number;
}

/**
 * For each name that an expression holds the full text takes 6 KB of memory and 10 us before it gives the first hit: for
 * the 80,000 names of `get user` in a large store half a gigabyte.
 */
const MANY = 4000;
const AT_ONCE = 1000;

/** Terms with so few names are asked for as one, however many terms there are. */
const FEW_NAMES = 16;

/** Up to so many entries that the other terms leave, each is looked up among the names, instead of all entries with them. */
const FEW_ENTRIES = 1000;

const NO_NAMES: NamesOf = () => [];

/**
 * Finds entries by a query whose words are a part of very many names (`getUser`, `userId`, ... for `user`). The names are
 * asked for some at a time, and what they find is put together here. Null when there are not so many.
 */
export function findByManyNames({ reader }: Index, search: ManyNamesSearch): WordHits | null {
  const { query, namesOf, many = MANY } = search;
  const gathering = new Gathering(reader, search);
  if (gathering.nameCount <= many) return null;
  const all = gathering.keysOf(query);
  const keys = keysAmong(reader, all, [...rootsOf(reader, search), ...search.conditions]);
  if (all.length > mostRanked(query.length + gathering.nameCount)) return byTime(reader, search, keys);
  const names = gathering.namesWithin(keys);
  const namesThere: NamesOf = (...word) => namesOf(...word).filter((name) => names.has(name));
  const ranking = { ...search, expression: toMatchExpression(query, namesThere) };
  return answerOf(findAmong(reader, ranking, keys), ranking);
}

type Names = readonly string[];

/** Some names of a term, and the entries they were found in. */
interface Part {
  names: Names;
  keys: readonly number[];
}

/** Gathers the entries of terms with many names. */
class Gathering {
  readonly #reader: Database;
  readonly #namesOf: NamesOf;
  readonly #names: ReadonlyMap<Term, Names>;
  readonly #atOnce: number;
  readonly #parts: Part[] = [];

  constructor(reader: Database, { query, namesOf, atOnce = AT_ONCE }: ManyNamesSearch) {
    this.#reader = reader;
    this.#namesOf = namesOf;
    this.#names = new Map(query.flat().map((term) => [term, namesFor(term, namesOf)]));
    this.#atOnce = atOnce;
  }

  /** A name counts once for each term that it is asked for. */
  get nameCount(): number {
    return [...this.#names.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** The keys of all entries that match, smallest first. */
  keysOf(query: SearchQuery): number[] {
    const keys = new Set(query.flatMap((terms) => [...this.#keysOfAll(terms)]));
    return [...keys].sort((a, b) => a - b);
  }

  /** The names that stand in these entries, and some more: others add nothing to their scores. */
  namesWithin(keys: readonly number[]): ReadonlySet<string> {
    const wanted = new Set(keys);
    const parts = this.#parts.filter((part) => part.keys.some((key) => wanted.has(key)));
    const few = [...this.#names.values()].filter((names) => names.length <= FEW_NAMES);
    return new Set([...parts.flatMap(({ names }) => names), ...few.flat()]);
  }

  /** Of one alternative. The terms with few names are asked first, all as one. */
  #keysOfAll(terms: readonly Term[]): ReadonlySet<number> {
    const few = terms.filter((term) => this.#namesFor(term).length <= FEW_NAMES);
    const asked = few.every(({ negated }) => negated) ? null : toMatchExpression([few], this.#namesOf);
    const rest = asked === null ? terms : terms.filter((term) => !few.includes(term));
    let keys = asked === null ? null : new Set(keysMatching(this.#reader, asked));
    const within = keys !== null && keys.size <= FEW_ENTRIES ? asked : null;
    for (const term of rest.toSorted(wantedFirst)) {
      if (keys?.size === 0) break;
      const found = this.#keysOfTerm(term, within);
      keys = keys === null ? found : new Set([...keys].filter((key) => found.has(key) !== term.negated));
    }
    return keys ?? new Set();
  }

  /** The entries with a term, wanted or not. @param within an expression that finds all that matter */
  #keysOfTerm(term: Term, within: string | null): Set<number> {
    const keys = new Set<number>();
    for (const { names, expression } of this.#someAtATime(
      { ...term, negated: false },
      this.#namesFor(term),
    )) {
      const found = keysMatching(this.#reader, within === null ? expression : `${within} AND ${expression}`);
      if (names.length > 0) this.#parts.push({ names, keys: found });
      for (const key of found) keys.add(key);
    }
    return keys;
  }

  /** The term itself, and then its names. */
  *#someAtATime(term: Term, names: Names): Generator<{ names: Names; expression: string }> {
    yield { names: [], expression: toMatchExpression([[term]], NO_NAMES) };
    for (let from = 0; from < names.length; from += this.#atOnce) {
      const some = names.slice(from, from + this.#atOnce);
      yield { names: some, expression: toMatchExpression([[term]], NO_NAMES, new Map([[term, some]])) };
    }
  }

  #namesFor(term: Term): Names {
    return this.#names.get(term) ?? [];
  }
}

function wantedFirst(a: Term, b: Term): number {
  return Number(a.negated) - Number(b.negated);
}
