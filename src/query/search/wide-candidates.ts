import type { Database } from "../../db/native.ts";
import { prepared } from "../../db/prepared.ts";
import { type Found, inOrder } from "./found.ts";
import type { WordSearch } from "./full-text.ts";
import type { Sieve } from "./sieve.ts";
import {
  blockFinder,
  blockKeys,
  entryFinder,
  type FindBetween,
  inTimeOrder,
  listFinder,
  type TimeSpan,
} from "./timely-hits.ts";
import * as words from "./word-hits.ts";

/**
 * How many blocks of keys are sifted one by one, before everything that may match is gathered at once. A block takes 0.4 to
 * 4 ms; gathering takes 10 to 50 ms, or 40 to 90 where the rest of the query is costly to ask.
 */
const PATIENCE = 12;
const PATIENCE_IF_COSTLY = 48;
/** After so many blocks in a row without a hit there is mostly none anywhere. */
const EMPTY_BLOCKS = 6;

/** So many lines, or bytes of them, are read in less time than the full text needs to tell which of them may match. */
const SOON_READ = 1000;
const SOON_READ_BYTES = 4 * 1024 * 1024;
const BYTES = "SELECT sum(e.length) FROM json_each(?) j CROSS JOIN entries e ON e.key = j.value";

export interface CandidateSearch extends Omit<WordSearch, "expression"> {
  /** The time in which all hits lie; the conditions say the same. */
  time?: TimeSpan | undefined;
  /** Blocks of keys to be sifted one by one; 12 or 48 unless told. */
  patience?: number;
  /** Lines that are read without being sifted; 1000 unless told. */
  soonRead?: number;
}

/** What the rest of a query finds: a few hits in their order; or many, with their keys where gathering those is costly. */
type Asked = { few: Found[] } | { few: null; keys: number[] | undefined };

/** Entries that may match a query with wide beginnings, as far as the full text can tell without asking for those. */
export class WideCandidates {
  readonly #reader: Database;
  readonly #search: CandidateSearch;
  /** What the rest of the query finds. It is asked once, however often the result is sifted. */
  #asked: Asked | undefined;

  /** @param search its conditions hold the roots */
  constructor(reader: Database, search: CandidateSearch) {
    this.#reader = reader;
    this.#search = search;
  }

  /** In the order in which hits are shown. */
  inOrder(sieve: Sieve): Iterable<Found> {
    const { rest } = sieve;
    if (rest === null) return this.#inTime(entryFinder(this.#reader, this.#search.conditions));
    const search = { ...this.#search, expression: rest };
    this.#asked ??= ask(this.#reader, search);
    const { few } = this.#asked;
    if (few === null) return this.#inTime(this.#finder(search, { sieve, keys: this.#asked.keys }));
    const left = this.#areSoonRead(few) ? null : sieve.left();
    if (left === null) return few;
    const keys = new Set(left);
    return few.filter(({ key }) => keys.has(key));
  }

  #areSoonRead(found: Found[]): boolean {
    if (found.length > (this.#search.soonRead ?? SOON_READ)) return false;
    const keys = JSON.stringify(found.map(({ key }) => key));
    return Number(prepared(this.#reader, BYTES).pluck().get(keys)) <= SOON_READ_BYTES;
  }

  #inTime(find: FindBetween): Iterable<Found> {
    const { sort, time } = this.#search;
    return inTimeOrder(this.#reader, { sort: words.timeSort(sort), find, time });
  }

  #finder(search: WordSearch, { sieve, keys }: { sieve: Sieve; keys: number[] | undefined }): FindBetween {
    const reader = this.#reader;
    const { maybe, unwanted } = sieve;
    const restBetween = keys === undefined ? blockFinder(reader, search) : listFinder(reader, keys);
    if (maybe === null) return restBetween;
    const all = () => listFinder(reader, sieve.left() ?? [], search.conditions);
    if (unwanted === null) return all();
    const unwantedBetween = blockKeys(reader, unwanted);
    // Block by block: asked without a bound, the full text would go on to the next match, and in most blocks there is none.
    const find: FindBetween = (first, last) => {
      const some = restBetween(first, last);
      if (some.length === 0) return [];
      const out = new Set(unwantedBetween(first, last));
      return some.filter(({ key }) => !out.has(key));
    };
    return this.#patiently(find, all, keys === undefined ? PATIENCE : PATIENCE_IF_COSTLY);
  }

  /** Asks `find` for so many blocks, or until it finds nothing for a while; then `other`. */
  #patiently(find: FindBetween, other: () => FindBetween, patience: number): FindBetween {
    let blocksLeft = this.#search.patience ?? patience;
    let emptyBlocks = 0;
    let instead: FindBetween | undefined;
    return (first, last) => {
      if (blocksLeft-- > 0 && emptyBlocks < EMPTY_BLOCKS) {
        const found = find(first, last);
        emptyBlocks = found.length === 0 ? emptyBlocks + 1 : 0;
        return found;
      }
      instead ??= other();
      return instead(first, last);
    };
  }
}

function ask(reader: Database, search: WordSearch): Asked {
  const { expression, sort } = search;
  const most = words.mostRanked(words.alternativesIn(expression));
  if (words.isCostlyToAsk(expression)) {
    const keys = words.keysOf(reader, search);
    if (keys.length > most) return { few: null, keys };
    return { few: inOrder(words.findAmong(reader, search, keys), sort) };
  }
  if (words.countUpTo(reader, expression, most) > most) return { few: null, keys: undefined };
  return { few: inOrder(words.findAll(reader, search), sort) };
}
