import { SessionDbError } from "../../errors.ts";
import type { Database } from "../../store/native.ts";
import { foldWord, spaced, WORD_CHARACTERS } from "../fts/tokenizer.ts";
import { countHolders, countHoldersOfWord } from "../fts/vocabulary.ts";
import { type SearchQuery, type Term, termsOf } from "./search-query.ts";

/** More terms than anybody types on purpose: of more, the rarest are looked for. */
export const MOST_TERMS = 64;

/** A query with the terms that matter most, and those that were left out of it. */
export interface Narrowed {
  query: SearchQuery;
  leftOut: Term[];
}

/**
 * A query with at most 64 terms, as one that was pasted may have more: of words that must all be there the most common are
 * not looked for.
 *
 * @throws SessionDbError `usage` where alternatives, or what is left out, are too many
 */
export function withRarest(reader: Database, query: SearchQuery): Narrowed {
  const count = termsOf(query).length;
  if (count <= MOST_TERMS) return { query, leftOut: [] };
  const common = expendable(query, reader).sort((a, b) => b.holders - a.holders);
  const leftOut = common.slice(0, count - MOST_TERMS).map(({ term }) => term);
  if (count - leftOut.length > MOST_TERMS) {
    throw new SessionDbError("usage", `a query can have at most ${MOST_TERMS} alternatives and exclusions`);
  }
  const gone = new Set(leftOut);
  return { query: without(query, gone), leftOut };
}

interface Counted {
  term: Term;
  /** In how many entries it may stand. */
  holders: number;
}

/** Terms without which a query finds no less: of each group of words that must all be there, all but the rarest. */
function expendable(query: SearchQuery, reader: Database): Counted[] {
  if (query.kind === "term" || query.kind === "not") return [];
  const deeper = query.of.flatMap((part) => expendable(part, reader));
  if (query.kind === "any") return deeper;
  const terms = query.of.flatMap((part) => (part.kind === "term" ? [part] : []));
  const counted = terms.map((term) => ({ term, holders: holdersOf(reader, term) }));
  return [...counted.sort((a, b) => a.holders - b.holders).slice(1), ...deeper];
}

function without(query: SearchQuery, gone: ReadonlySet<Term>): SearchQuery {
  if (query.kind === "term" || query.kind === "not") return query;
  const kept = query.of.filter((part) => part.kind !== "term" || !gone.has(part));
  return { kind: query.kind, of: kept.map((part) => without(part, gone)) };
}

const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, "gu");
/** Of a prefix no more entries are counted. */
const MOST_COUNTED = 10_000;

/** In how many entries a term may stand: as many as its rarest word. */
function holdersOf(reader: Database, { text, prefix }: Term): number {
  const words = (spaced(text).match(WORDS) ?? []).map(foldWord);
  const last = prefix ? words.pop() : undefined;
  const beginning = last === undefined ? [] : [countHolders(reader, last, MOST_COUNTED)];
  return Math.min(...beginning, ...words.map((word) => countHoldersOfWord(reader, word)));
}
