import type { Database } from "../db/native.ts";
import { type NamesOf, type SearchQuery, type Term, toMatchExpression } from "./search-query.ts";
import { keysMatching } from "./word-hits.ts";

/** Words that begin as a term says, where it stands for too many to ask for all of them. */
export type KnownWords = ReadonlyMap<Term, readonly string[]>;

/** Words are looked for as they stand: only of these it is certain that the full text knows them by the same letters. */
const PLAIN = /^[a-z0-9]+$/i;

/** Whether some words of a beginning can stand for it. */
export function isPlain({ text, prefix }: Term): boolean {
  return prefix && PLAIN.test(text);
}

export interface Sifting {
  query: SearchQuery;
  /** Terms that are beginnings of very many words. */
  wide: ReadonlySet<Term>;
  known: KnownWords;
  namesOf: NamesOf;
}

/**
 * What a few words of each wide beginning tell about a query: who holds `server` is a hit of `s*` and none of `-s*`,
 * without a look at its text. The 32 commonest leave one entry in twenty to be looked at.
 *
 * Each question is asked of the whole full text at once: within a block of keys it would go on to the next match beyond.
 */
export class Sieve {
  /** What the query asks besides, in the full text's own language; null where that is nothing. */
  readonly rest: string | null;
  readonly #reader: Database;
  readonly #maybe: string | null;
  readonly #surely: string | null;
  #sure: Set<number> | undefined;

  constructor(reader: Database, { query, wide, known, namesOf }: Sifting) {
    this.#reader = reader;
    const isKnown = (term: Term, negated: boolean) => term.negated === negated && known.has(term);
    const expressionOf = (asked: SearchQuery) => toMatchExpression(asked, namesOf, known);
    const rest = query.map((terms) => terms.filter((term) => !wide.has(term)));
    const isNarrow = rest.every((terms) => terms.some(({ negated }) => !negated));
    this.rest = isNarrow ? expressionOf(rest) : null;
    const maybe = query.map((terms) => terms.filter((term) => !wide.has(term) || isKnown(term, true)));
    const tellsMore = isNarrow && maybe.flat().length > rest.flat().length;
    this.#maybe = tellsMore ? expressionOf(maybe) : null;
    const surely = query.filter((terms) => terms.every((term) => !wide.has(term) || isKnown(term, false)));
    this.#surely = surely.length === 0 ? null : expressionOf(surely);
  }

  /** The keys of all that may match, smallest first; null where no more is known than what `rest` says. */
  left(): number[] | null {
    return this.#maybe === null ? null : keysMatching(this.#reader, this.#maybe);
  }

  isSure(key: number): boolean {
    this.#sure ??= new Set(this.#surely === null ? [] : keysMatching(this.#reader, this.#surely));
    return this.#sure.has(key);
  }
}
