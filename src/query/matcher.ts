import { CJK_CHARACTER, EMOJI } from "../format/words.ts";
import { type Folded, fold } from "./folded.ts";
import type { SearchQuery, Term } from "./search-query.ts";

/** UTF-16 units of a text, `[start, end)`. */
export type Range = [start: number, end: number];

export interface Match {
  range: Range;
  /** As it was asked for; others are shown only where there is no such match. */
  isExact: boolean;
}

/** Finds what is looked for in a text. */
export type Matcher = (text: string) => Match[];

/** Finds exactly these characters. */
export function substringMatcher(needle: string): Matcher {
  return (text) => {
    const matches: Match[] = [];
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      matches.push({ range: [at, at + needle.length], isExact: true });
    }
    return matches;
  };
}

/** Finds whole words and parts of compound names; inexactly, stretches of longer words. */
export function wordMatcher(query: SearchQuery): Matcher {
  const patterns = query
    .flat()
    .filter((term) => !term.negated)
    .map((term) => ({ expression: patternOf(term), prefix: term.prefix }));
  return (text) => {
    const folded = fold(text);
    return patterns.flatMap((pattern) => matchesOf(pattern, text, folded));
  };
}

/** What is looked for in folded text. */
interface Pattern {
  expression: RegExp;
  /** It may go on. */
  prefix: boolean;
}

/** What belongs to the character before it. */
const ATTACHED = /[\p{M}\p{Emoji_Modifier}]/uy;

function matchesOf({ expression, prefix }: Pattern, text: string, folded: Folded): Match[] {
  return [...folded.text.matchAll(expression)].map((match): Match => {
    const start = folded.toOriginal(match.index);
    let end = folded.toOriginal(match.index + match[0].length);
    for (ATTACHED.lastIndex = end; ATTACHED.test(text); ) end = ATTACHED.lastIndex;
    return { range: [start, end], isExact: isEdge(text, start) && (prefix || isEdge(text, end)) };
  });
}

const WORD = /[\p{L}\p{N}\p{M}]/u;
const CJK = new RegExp(CJK_CHARACTER, "u");

/** Whether a word, or a part of a compound name, may begin or end here. */
function isEdge(text: string, at: number): boolean {
  const before = /.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? "";
  const [after = "", next = ""] = text.slice(at, at + 4);
  if (!WORD.test(before) || !WORD.test(after) || CJK.test(before) || CJK.test(after)) return true;
  return /^(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])/.test(before + after + next);
}

const WORDS = new RegExp(`${EMOJI}|${CJK_CHARACTER}|(?:(?!${CJK_CHARACTER})[\\p{L}\\p{N}])+`, "gu");
const BETWEEN_WORDS = `(?:(?!${EMOJI})[^\\p{L}\\p{N}])*`;

/** Finds a term where the index found it: its words in a row, whatever stands between them. */
function patternOf(term: Term): RegExp {
  const words = fold(term.text.normalize("NFC")).text.match(WORDS) ?? [];
  return new RegExp(words.map(escapePattern).join(BETWEEN_WORDS), "gu");
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
