import { fold } from "./folded.ts";
import type { SearchQuery, Term } from "./search-query.ts";

const LETTER = "[a-z0-9]";
/** ASCII that is part of no word. */
const SEPARATOR = "[\\0-/:-@[-`{-\\x7f]";

/** False for a text that certainly does not match a query; true for one that may. */
export type Glance = (text: string) => boolean;

/**
 * Looks in a text for the letters of the wanted terms, and for unwanted words. For most texts that decides, and having the
 * full text cut them into words would take ten times as long. Terms with letters beyond ASCII are left to the full text.
 */
export function glanceFor(query: SearchQuery): Glance {
  const alternatives = query.map((terms) => ({
    wanted: terms.flatMap((term) => (term.negated ? [] : lettersOf(term))),
    unwanted: terms.flatMap((term) => (term.negated ? certainlyHeld(term) : [])),
  }));
  return (text) => {
    let folded: string | undefined;
    return alternatives.every(({ wanted, unwanted }) => {
      if (unwanted.some((pattern) => pattern.test(text))) return true;
      folded ??= fold(text).text;
      return wanted.some((pattern) => !pattern.test(folded ?? ""));
    });
  };
}

/** Expressions that match every folded text which holds the term. A single word may also be a part of a name. */
function lettersOf(term: Term): RegExp[] {
  const words = wordsOf(term);
  const [only] = words;
  if (only === undefined) return [];
  if (words.length === 1) return [new RegExp(only, "i")];
  const end = term.prefix ? "" : `(?!${LETTER})`;
  return [new RegExp(`(?<!${LETTER})${words.join(`[^a-z0-9]+`)}${end}`, "i")];
}

/** Expressions that match only texts which certainly hold the term. */
function certainlyHeld(term: Term): RegExp[] {
  const words = wordsOf(term);
  if (words.length === 0) return [];
  const end = term.prefix ? "" : `(?:$|${SEPARATOR})`;
  return [new RegExp(`(?:^|${SEPARATOR})${words.join(`${SEPARATOR}+`)}${end}`, "i")];
}

const NOT_ASCII = /[^\0-\x7f]/;

/** The words of a term that is ASCII, in small letters; none for other terms. */
export function wordsOf({ text }: Term): string[] {
  return NOT_ASCII.test(text) ? [] : (text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
}
