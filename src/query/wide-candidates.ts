import type { Database } from "../db/native.ts";
import { type Found, inOrder } from "./found.ts";
import type { WordSearch } from "./full-text.ts";
import type { Sieve } from "./sieve.ts";
import {
  blockFinder,
  blockKeys,
  entryFinder,
  type FindBetween,
  inTimeOrder,
  keysBetween,
  listFinder,
} from "./timely-hits.ts";
import * as words from "./word-hits.ts";

/**
 * Blocks of keys that are sifted one by one until all that may match are gathered at once: a block takes some 0.4 ms,
 * gathering as much as a hundred to three hundred of them.
 */
const PATIENCE = 48;
/** After so many in which nothing was found, one after the other, there is mostly nothing anywhere. */
const EMPTY_BLOCKS = 6;

export interface CandidateSearch extends Omit<WordSearch, "expression"> {
  /** Blocks of keys to be sifted one by one; 48 unless told. */
  patience?: number;
}

type Block = [firstKey: number, lastKey: number];

/** What may match a query with wide beginnings, as far as the full text can tell without them. */
export class WideCandidates {
  readonly #reader: Database;
  readonly #search: CandidateSearch;
  /** What the rest of the query finds, where that is costly to gather: once, however often it is sifted. */
  #keys: number[] | undefined;

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
    if (words.isCostlyToAsk(rest)) this.#keys ??= words.keysOf(this.#reader, search);
    const most = words.mostRanked(rest);
    const count = this.#keys?.length ?? words.countUpTo(this.#reader, rest, most);
    if (count > most) return this.#inTime(this.#finder(search, sieve));
    const few = words.findAll(this.#reader, search);
    const left = sieve.left();
    const keys = left === null ? null : new Set(left);
    return inOrder(keys === null ? few : few.filter(({ key }) => keys.has(key)), search.sort);
  }

  #inTime(find: FindBetween): Iterable<Found> {
    return inTimeOrder(this.#reader, { sort: words.timeSort(this.#search.sort), find });
  }

  #finder(search: WordSearch, sieve: Sieve): FindBetween {
    const [reader, keys] = [this.#reader, this.#keys];
    const { maybe, unwanted } = sieve;
    if (maybe === null) return keys === undefined ? blockFinder(reader, search) : listFinder(reader, keys);
    const all = () => listFinder(reader, sieve.left() ?? [], search.conditions);
    if (unwanted === null) return all();
    const restBetween =
      keys === undefined
        ? blockKeys(reader, search.expression)
        : (...block: Block) => keysBetween(keys, ...block);
    const unwantedBetween = blockKeys(reader, unwanted);
    // The full text, asked for all at once, would go on to the next match: in most blocks there is none.
    const find = (...block: Block) => {
      const out = new Set(unwantedBetween(...block));
      const left = restBetween(...block).filter((key) => !out.has(key));
      return listFinder(reader, left, search.conditions)(...block);
    };
    return this.#patiently(find, all);
  }

  /** Asks the first for a while, or until it finds nothing any more, then the other. */
  #patiently(find: FindBetween, other: () => FindBetween): FindBetween {
    let blocksLeft = this.#search.patience ?? PATIENCE;
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
