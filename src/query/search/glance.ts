import { fold } from "./folded.ts";
import type { SearchQuery, Term } from "./search-query.ts";

const LETTER = "[a-z0-9]";
/** ASCII that is part of no word. */
const SEPARATOR = "[\\0-/:-@[-`{-\\x7f]";

/** Tells of many texts at a glance that they do not match a query; of the others it does not know. */
export type Glance = (text: string) => boolean;

/**
 * Looks for the letters of what a query asks, and for words it does not want: for most texts that decides, and to have
 * them cut into words by the full text takes ten times as long. Terms with other letters than those of ASCII are left
 * to that.
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

/** What stands in every folded text that holds a term. A single word may also be a part of a name. */
function lettersOf(term: Term): RegExp[] {
  const words = wordsOf(term);
  const [only] = words;
  if (only === undefined) return [];
  if (words.length === 1) return [new RegExp(only, "i")];
  const end = term.prefix ? "" : `(?!${LETTER})`;
  return [new RegExp(`(?<!${LETTER})${words.join(`[^a-z0-9]+`)}${end}`, "i")];
}

/** What stands only in texts that hold a term, whatever else they hold. */
function certainlyHeld(term: Term): RegExp[] {
  const words = wordsOf(term);
  if (words.length === 0) return [];
  const end = term.prefix ? "" : `(?:$|${SEPARATOR})`;
  return [new RegExp(`(?:^|${SEPARATOR})${words.join(`${SEPARATOR}+`)}${end}`, "i")];
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Of a term in ASCII, in small letters; none of others. */
export function wordsOf({ text }: Term): string[] {
  return NOT_ASCII.test(text) ? [] : (text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
}
