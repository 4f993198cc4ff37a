import type { Database } from "../../db/native.ts";
import { lastWordOf, type NamesOf, type SearchQuery, type Term, toMatchExpression } from "./search-query.ts";
import { keysMatching } from "./word-hits.ts";

/** Some of the words that begin as a term says, when they are too many to ask for all of them. */
export type KnownWords = ReadonlyMap<Term, readonly string[]>;

/**
 * Words of these letters only stand in the full text exactly as they are written; of others that is not certain.
 */
const PLAIN = /^[a-z0-9]+$/i;

/** Whether a few of its words can be asked for in the place of a beginning. */
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
 * Sorts entries by a few words of each wide beginning: an entry that holds `server` is a hit of `s*` and none of `-s*`,
 * without a look at its text. With the 32 commonest words, one entry in twenty is left to be looked at.
 */
export class Sieve {
  /** The query without its wide beginnings, in the full text's own language; null where nothing else is asked. */
  readonly rest: string | null;
  /** An expression that all hits match; null where no more is known than what `rest` says. */
  readonly maybe: string | null;
  /** An expression that no hit matches: the known words of unwanted beginnings; null where there are none. */
  readonly unwanted: string | null;
  readonly #reader: Database;
  readonly #surely: string | null;
  #sure: Set<number> | undefined;

  constructor(reader: Database, { query, wide, known, namesOf }: Sifting) {
    this.#reader = reader;
    const isKnown = (term: Term, negated: boolean) => term.negated === negated && known.has(term);
    const expressionOf = (asked: SearchQuery) => toMatchExpression(asked, namesOf, known);
    const without = (isKept: (term: Term) => boolean) =>
      query.map((terms) => terms.flatMap((term) => (isKept(term) ? [term] : withoutBeginning(term))));
    const rest = without((term) => !wide.has(term));
    const maybe = without((term) => !wide.has(term) || isKnown(term, true));
    const isNarrow = rest.every((terms) => terms.some(({ negated }) => !negated));
    const tellsMore = maybe.flat().length > rest.flat().length;
    this.rest = isNarrow ? expressionOf(rest) : null;
    this.maybe = isNarrow && tellsMore ? expressionOf(maybe) : null;
    this.unwanted = unwantedWords(query, known);
    const surely = query.filter((terms) => terms.every((term) => !wide.has(term) || isKnown(term, false)));
    this.#surely = surely.length === 0 ? null : expressionOf(surely);
  }

  /** The keys of all that may match, smallest first; null where no more is known than what `rest` says. */
  left(): number[] | null {
    return this.maybe === null ? null : keysMatching(this.#reader, this.maybe);
  }

  isSure(key: number): boolean {
    this.#sure ??= new Set(this.#surely === null ? [] : keysMatching(this.#reader, this.#surely));
    return this.#sure.has(key);
  }
}

/** Null for a query with alternatives: one may want what another does not. */
function unwantedWords([terms = [], ...others]: SearchQuery, known: KnownWords): string | null {
  const unwanted = terms.flatMap((term) => (term.negated ? (known.get(term) ?? []) : []));
  if (others.length > 0 || unwanted.length === 0) return null;
  const anyOf = unwanted.map((text) => [{ text, prefix: false, negated: false }]);
  return toMatchExpression(anyOf, () => []);
}

/** The words of a wanted phrase before the beginning it ends with. */
function withoutBeginning({ text, negated }: Term): Term[] {
  const before = lastWordOf(text)?.before.trim() ?? text;
  return before === "" || negated ? [] : [{ text: before, prefix: false, negated }];
}
