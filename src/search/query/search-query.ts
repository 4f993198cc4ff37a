import { SessionDbError } from "../../errors.ts";
import { EMOJI, spaced, UNSPACED_CHARACTER, WORD_CHARACTERS } from "../fts/tokenizer.ts";
import { type Piece, piecesOf } from "./query-pieces.ts";

/** One thing looked for: a word, the beginning of one (`pre*`), or words in a row (`"a phrase"`). */
export interface Term {
  kind: "term";
  text: string;
  prefix: boolean;
}

/** What must all be there, any of which must be there, or what must not be there. */
export type SearchQuery =
  | Term
  | { kind: "all" | "any"; of: SearchQuery[] }
  | { kind: "not"; of: SearchQuery };

/** UTF-16 units. */
const LONGEST_QUERY = 10_000;
/** FTS5 cannot read expressions that are nested much deeper. */
const DEEPEST = 16;

/**
 * Reads a query as people type it: words are ANDed, `"phrases"`, `-without` or `NOT without`, `pre*`, `OR` between
 * alternatives (binding less tightly than AND), and parentheses around what belongs together. Whatever else is typed is
 * looked for as it stands: no input is a syntax error. Null where there is nothing to look for.
 *
 * @throws SessionDbError `usage` when it only says what must not be there, has more than 10,000 characters or is nested more
 *   than 16 deep, and for a single letter behind a dash, which is an option of some other program
 */
export function parseSearchQuery(query: string): SearchQuery | null {
  if (query.length > LONGEST_QUERY) {
    throw new SessionDbError("usage", `a query can have at most ${LONGEST_QUERY} characters`, {
      hint: "Search for a part of it, or use --substring.",
    });
  }
  const pieces = piecesOf(query);
  const parsed = new Parser(pieces).parse() ?? operatorsAsWords(pieces);
  if (parsed !== null && !isAnswerable(parsed)) {
    throw new SessionDbError("usage", "a query needs something to search for, not only what to leave out");
  }
  return parsed;
}

/** With no terms beside it, OR is a word to look for. */
function operatorsAsWords(pieces: readonly Piece[]): SearchQuery | null {
  const words = pieces.flatMap((piece) => (piece.kind === "operator" ? toTerm(piece.word) : []));
  return joined("all", words);
}

class Parser {
  readonly #pieces: readonly Piece[];
  #at = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  parse(): SearchQuery | null {
    return this.#any(0);
  }

  /** Alternatives, up to the end of the group. */
  #any(depth: number): SearchQuery | null {
    if (depth > DEEPEST) {
      throw new SessionDbError("usage", `parentheses in a query can be nested ${DEEPEST} deep`, {
        hint: "In quotes they are text.",
      });
    }
    const alternatives: (SearchQuery | null)[] = [];
    for (;;) {
      alternatives.push(this.#all(depth));
      const piece = this.#pieces[this.#at];
      if (piece === undefined) break;
      this.#at++;
      if (piece.kind === "close") break;
    }
    return joined("any", alternatives);
  }

  /** What stands beside each other, up to an OR or the end of the group. */
  #all(depth: number): SearchQuery | null {
    const parts: (SearchQuery | null)[] = [];
    let isNot = false;
    for (let piece = this.#pieces[this.#at]; piece !== undefined; piece = this.#pieces[this.#at]) {
      if (piece.kind === "close" || (piece.kind === "operator" && piece.word === "OR")) break;
      this.#at++;
      if (piece.kind === "operator") {
        if (piece.word === "NOT") isNot = !isNot;
        continue;
      }
      const part = piece.kind === "open" ? this.#any(depth + 1) : wordTerm(piece.text);
      parts.push(part !== null && piece.isNegated !== isNot ? { kind: "not", of: part } : part);
      isNot = false;
    }
    return joined("all", parts);
  }
}

/** Null for what has no letter: the index holds letters, digits, vowel signs and emoji only, and nothing else finds anything. */
function wordTerm(text: string): Term | null {
  const term = toTerm(text);
  return WORD.test(term.text) ? term : null;
}

const WORD = new RegExp(`[\\p{L}\\p{N}]|${EMOJI}|${UNSPACED_CHARACTER}`, "u");

function toTerm(text: string): Term {
  const prefix = text.length > 1 && text.endsWith("*");
  return { kind: "term", text: (prefix ? text.slice(0, -1) : text).replaceAll('"', " ").trim(), prefix };
}

/** Several as one, each once: what is typed again would be looked for again. */
function joined(kind: "all" | "any", parts: readonly (SearchQuery | null)[]): SearchQuery | null {
  const flat = parts.flatMap((part) => (part === null ? [] : part.kind === kind ? part.of : [part]));
  const distinct = [...new Map(flat.map((part) => [JSON.stringify(part), part] as const)).values()];
  const [first] = distinct;
  if (first === undefined) return null;
  return distinct.length === 1 ? first : { kind, of: distinct };
}

/** All terms that are to be there: those that are left out are not among them. */
export function wantedTerms(query: SearchQuery): Term[] {
  return termsOf(query).flatMap(({ term, isWanted }) => (isWanted ? [term] : []));
}

/** All beginnings of words, those that are left out, too. */
export function prefixesOf(query: SearchQuery): Term[] {
  return termsOf(query).flatMap(({ term }) => (term.prefix ? [term] : []));
}

/** Every term, and whether it is to be there. */
export function termsOf(query: SearchQuery, isWanted = true): { term: Term; isWanted: boolean }[] {
  switch (query.kind) {
    case "term":
      return [{ term: query, isWanted }];
    case "not":
      return termsOf(query.of, !isWanted);
    default:
      return query.of.flatMap((part) => termsOf(part, isWanted));
  }
}

/** The query in the full-text index's own language. Every term is quoted, so nothing in it has a meaning there. */
export function toMatchExpression(query: SearchQuery): string {
  return expressionOf(query).text;
}

/** Whether the full text can be asked: about entries that hold something, not about all that lack something. */
export function isAnswerable(query: SearchQuery): boolean {
  return !expressionOf(query).isNot;
}

/** An expression for what is found, or, with `isNot`, for all that is not: FTS5 can only take entries from others. */
interface Expression {
  text: string;
  isNot: boolean;
}

function expressionOf(query: SearchQuery): Expression {
  if (query.kind === "term") return { text: spell(query), isNot: false };
  if (query.kind === "not") {
    const { text, isNot } = expressionOf(query.of);
    return { text, isNot: !isNot };
  }
  const parts = query.of.map(expressionOf);
  const wanted = parts.filter(({ isNot }) => !isNot).map(({ text }) => text);
  const unwanted = parts.filter(({ isNot }) => isNot).map(({ text }) => text);
  if (query.kind === "all") {
    // What lacks this and lacks that is what does not hold the one or the other.
    if (wanted.length === 0) return { text: group(unwanted, " OR "), isNot: true };
    return { text: less(group(wanted, " AND "), unwanted), isNot: false };
  }
  if (unwanted.length === 0) return { text: group(wanted, " OR "), isNot: false };
  return { text: less(group(unwanted, " AND "), wanted), isNot: true };
}

/** One NOT after another: each is asked only about what those before it leave, which takes a third of the time. */
function less(from: string, unwanted: readonly string[]): string {
  return unwanted.length === 0 ? from : `(${from}${unwanted.map((each) => ` NOT ${each}`).join("")})`;
}

function group(parts: readonly string[], operator: string): string {
  return parts.length === 1 ? (parts[0] ?? "") : `(${parts.join(operator)})`;
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

/**
 * A query that finds all that this one finds, and has no prefixes: what a prefix asks for is not asked for. Null where it
 * would find everything.
 */
export function withoutPrefixes(query: SearchQuery, isWanted = true): SearchQuery | null {
  switch (query.kind) {
    case "term":
      return query.prefix ? beforePrefix(query, isWanted) : query;
    case "not": {
      const of = withoutPrefixes(query.of, !isWanted);
      return of === null ? null : { kind: "not", of };
    }
    default: {
      const parts = query.of.map((part) => withoutPrefixes(part, isWanted));
      // One of several that must all be there can be left out; one of several of which any will do stands for all.
      if ((query.kind === "any") === isWanted && parts.includes(null)) return null;
      return joined(query.kind, parts);
    }
  }
}

/** Of a wanted phrase that ends with a prefix, the words before. */
function beforePrefix({ text }: Term, isWanted: boolean): Term | null {
  const before = lastWordOf(text)?.before.trim() ?? "";
  return before === "" || !isWanted ? null : { kind: "term", text: before, prefix: false };
}
