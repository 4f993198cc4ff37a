import { SessionDbError } from "../../errors.ts";
import { EMOJI } from "../fts/tokenizer.ts";

/** What a query is made of: words and phrases, parentheses around groups, and operators. */
export type Piece =
  | { kind: "word"; text: string; isNegated: boolean }
  | { kind: "open"; isNegated: boolean }
  | { kind: "close" }
  | { kind: "operator"; word: Operator };

type Operator = "AND" | "OR" | "NOT";

const OPERATORS: readonly string[] = ["AND", "OR", "NOT"] satisfies Operator[];

function isOperator(word: string): word is Operator {
  return OPERATORS.includes(word);
}

/** Quotes that programs put in the place of those that were typed. */
const CURLY = /[\u201c-\u201f\uff02]/g;

export function withPlainQuotes(query: string): string {
  return query.replace(CURLY, '"');
}

/** A parenthesis where a word begins; a phrase, to its end or that of the query; any other word. */
const PIECE = /-?\(|-?"[^"]*"?\*?|\S+/g;

/**
 * Takes a query apart. A parenthesis opens a group where a word begins, and closes one where a word ends: that of `manager()`
 * is text. Two dashes begin the options of other programs: those are looked for.
 *
 * @throws SessionDbError `usage` for a single letter behind a dash
 */
export function piecesOf(query: string): Piece[] {
  const pieces: Piece[] = [];
  let depth = 0;
  for (const [word] of withPlainQuotes(query.replaceAll("\0", " ")).matchAll(PIECE)) {
    if (word === "(" || word === "-(") {
      pieces.push({ kind: "open", isNegated: word === "-(" });
      depth++;
    } else {
      const { body, closers } = closersAt(word, depth);
      pieces.push(isOperator(body) ? { kind: "operator", word: body } : wordOf(body));
      for (let n = 0; n < closers; n++) pieces.push({ kind: "close" });
      depth -= closers;
    }
  }
  return pieces;
}

function wordOf(body: string): Piece {
  assertNoOption(body);
  const isNegated = /^-[^-]/.test(body);
  return { kind: "word", text: isNegated ? body.slice(1) : body, isNegated };
}

/** What stands behind the last letter, digit or emoji. */
const SIGNS = new RegExp(`(?:(?!${EMOJI})[^\\p{L}\\p{N}\\p{M}"])*$`, "u");

/** UTF-16 units: to look for the beginning of a run takes the square of its length. */
const LONGEST_RUN = 100;

/** How many of so many open groups a word closes at its end, and what of it stands before that. */
export function closersAt(word: string, depth: number): { body: string; closers: number } {
  if (depth === 0) return { body: word, closers: 0 };
  const [run = ""] = SIGNS.exec(word.slice(-LONGEST_RUN)) ?? [];
  const inside = word.slice(0, word.length - run.length);
  const opened = Math.max(0, countOf(word, "(") - countOf(inside, ")"));
  const closers = Math.min(depth, Math.max(0, countOf(run, ")") - opened));
  if (closers === 0) return { body: word, closers };
  return { body: inside + run.slice(0, run.indexOf(")")), closers };
}

function countOf(text: string, sign: "(" | ")"): number {
  return text.split(sign).length - 1;
}

/** What options of other programs are called here. */
const MEANT: Readonly<Record<string, string>> = {
  i: "Case never makes a difference: leave -i out.",
  n: "-n N is --limit N; the line stands in the handle of each hit.",
  c: "The number of hits stands below them.",
  w: "Whole words are found anyway, and begin* finds beginnings: leave -w out.",
  r: "Every session is searched anyway: leave -r out.",
  R: "Every session is searched anyway: leave -R out.",
  e: "Put words in a row in quotes; there are no regular expressions.",
  E: "There are no regular expressions: begin*, this OR that, and --substring for any characters.",
  P: "There are no regular expressions: begin*, this OR that, and --substring for any characters.",
  F: "--substring finds exactly these characters.",
  v: "Write -word for entries without a word.",
  l: "Hits stand below their session; --json gives the files.",
  A: "-C N shows N entries before and after each hit.",
  B: "-C N shows N entries before and after each hit.",
  C: "-C N shows N entries before and after each hit.",
  o: "What matched is marked; --json has its places.",
};

/** A word of one letter is hardly ever left out, and an option that is none must not leave hits out in silence. */
function assertNoOption(word: string): void {
  const [, letter] = /^-([A-Za-z0-9])$/.exec(word) ?? [];
  if (letter === undefined) return;
  const isNumber = /\d/.test(letter);
  const meant = isNumber
    ? `-C ${letter} shows ${letter} entries before and after each hit.`
    : (MEANT[letter] ?? "");
  throw new SessionDbError("usage", `-${letter} is no option of search`, {
    hint: `${meant} To leave out the word "${letter}", write NOT ${letter}.`.trim(),
  });
}
