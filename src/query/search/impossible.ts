import { wordsOf } from "./glance.ts";
import type { Term } from "./search-query.ts";

const PLAIN = /^[a-z0-9]+$/i;

/**
 * Whether terms exclude what they look for, as `test -te*` and `s* -s*` do: the full text would gather the entries of both,
 * for up to four seconds, and find nothing. False where that is not known: for terms that are not plain words in ASCII.
 */
export function isImpossible(terms: readonly Term[]): boolean {
  const held = terms.filter(({ negated }) => !negated).flatMap(heldWords);
  return terms
    .filter(({ negated, text }) => negated && PLAIN.test(text))
    .some((term) => leavesOut(term, held));
}

interface HeldWord {
  word: string;
  /** Only how it begins is known. */
  isBeginning: boolean;
}

/** Words that stand in every text that holds a term, or are parts of names in it. */
function heldWords(term: Term): HeldWord[] {
  const words = wordsOf(term);
  return words.map((word, n) => ({ word, isBeginning: term.prefix && n === words.length - 1 }));
}

/** A name is found by its parts in the same way, whether it is wanted or not. */
function leavesOut({ text, prefix }: Term, held: HeldWord[]): boolean {
  const unwanted = text.toLowerCase();
  return held.some(({ word, isBeginning }) =>
    prefix ? word.startsWith(unwanted) : word === unwanted && !isBeginning,
  );
}
