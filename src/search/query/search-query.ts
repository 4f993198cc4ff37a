import { SessionDbError } from "../../errors.ts";
import { EMOJI, spaced, UNSPACED_CHARACTER, WORD_CHARACTERS } from "../fts/tokenizer.ts";

/** One thing looked for: a word, the beginning of one (`pre*`), or words in a row (`"a phrase"`). */
export interface Term {
  text: string;
  prefix: boolean;
  negated: boolean;
}

/** Alternatives (`OR`) of terms that must all be there. */
export type SearchQuery = Term[][];

/** More terms than anybody types on purpose. */
const MOST_TERMS = 64;
/** UTF-16 units. */
const LONGEST_QUERY = 10_000;

/**
 * Reads a query as people type it: words are ANDed, `"phrases"`, `-without`, `pre*`, `OR` between
 * alternatives (binding less tightly than AND). Whatever else is typed is looked for as it stands: no input is
 * a syntax error.
 *
 * @throws SessionDbError `usage` when it only says what must not be there, has more than 64 terms, or more than
 *   10,000 characters
 */
export function parseSearchQuery(query: string): SearchQuery {
  if (query.length > LONGEST_QUERY) {
    throw new SessionDbError("usage", `a query can have at most ${LONGEST_QUERY} characters`, {
      hint: "Search for a part of it, or use --substring.",
    });
  }
  const tokens = tokensOf(query);
  const alternatives: SearchQuery = [[]];
  for (const token of tokens) {
    if (token === "OR") alternatives.push([]);
    else alternatives.at(-1)?.push(toTerm(token));
  }
  const meaningful = alternatives
    .map((terms) => distinct(terms.filter(hasWord)))
    .filter((terms) => terms.length > 0);
  // With no terms beside it, OR is a word to look for.
  if (meaningful.length === 0 && tokens.includes("OR")) return [[toTerm("OR")]];
  assertAnswerable(meaningful);
  return meaningful;
}

/** Words, and quoted phrases whole; an unclosed quote goes to the end. */
function tokensOf(query: string): string[] {
  return query.replaceAll("\0", " ").match(/-?"[^"]*"?\*?|\S+/g) ?? [];
}

function toTerm(token: string): Term {
  // Two dashes begin the options of other programs: those are looked for.
  const negated = /^-[^-]/.test(token);
  const body = negated ? token.slice(1) : token;
  const prefix = body.length > 1 && body.endsWith("*");
  return { text: (prefix ? body.slice(0, -1) : body).replaceAll('"', " ").trim(), prefix, negated };
}

const WORD = new RegExp(`[\\p{L}\\p{N}]|${EMOJI}|${UNSPACED_CHARACTER}`, "u");

/** The index holds letters, digits, vowel signs and emoji only: a term without any finds nothing by itself. */
function hasWord(term: Term): boolean {
  return WORD.test(term.text);
}

/** Each term once: what is typed again would be looked for again. */
function distinct(terms: readonly Term[]): Term[] {
  return [
    ...new Map(terms.map((term) => [`${term.negated} ${term.prefix} ${term.text}`, term] as const)).values(),
  ];
}

function assertAnswerable(alternatives: SearchQuery): void {
  if (alternatives.flat().length > MOST_TERMS) {
    throw new SessionDbError("usage", `a query can have at most ${MOST_TERMS} terms`);
  }
  if (alternatives.some((terms) => terms.every((term) => term.negated))) {
    throw new SessionDbError("usage", "a query needs something to search for, not only what to leave out");
  }
}

/** The query in the full-text index's own language. Every term is quoted, so nothing in it has a meaning there. */
export function toMatchExpression(query: SearchQuery): string {
  return query.map(allOf).join(" OR ");
}

function allOf(terms: Term[]): string {
  const wanted = terms.filter((term) => !term.negated).map(spell);
  // One NOT after another: each is asked only about what those before it leave, which takes a third of the time.
  const unwanted = terms.filter((term) => term.negated).map(spell);
  return `((${wanted.join(" AND ")})${unwanted.map((each) => ` NOT ${each}`).join("")})`;
}

function spell({ text, prefix }: Term): string {
  return `"${spaced(text).replaceAll('"', '""')}"${prefix ? " *" : ""}`;
}

const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, "gu");

/** The last word of a text, as the full text cuts it, and what stands before; null where there is none. */
export function lastWordOf(text: string): { before: string; word: string } | null {
  const last = [...text.matchAll(WORDS)].at(-1);
  return last === undefined ? null : { before: text.slice(0, last.index), word: last[0] };
}
