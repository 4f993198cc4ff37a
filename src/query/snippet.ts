import { CJK_CHARACTER } from "../format/words.ts";
import type { SearchQuery, Term } from "./search-query.ts";

/** A stretch of text with the places that matched, as UTF-16 ranges `[start, end)` in it. */
export interface Snippet {
  text: string;
  highlights: [number, number][];
}

/** Characters shown before and after the first match. */
const BEFORE = 60;
const AFTER = 180;

/**
 * Cuts the stretch around the first match out of the texts of an entry; the beginning where none is found.
 * Matches are whole words and parts of compound names; only where there are none, stretches of longer words.
 */
export function cutSnippet(texts: string[], query: SearchQuery): Snippet {
  const patterns = query
    .flat()
    .filter((term) => !term.negated)
    .map((term) => ({ expression: patternOf(term), prefix: term.prefix }));
  let second: Snippet | undefined;
  for (const text of texts) {
    const matches = matchesIn(text, patterns);
    const words = matches.filter(({ isWord }) => isWord);
    if (words.length > 0) return around(text, words);
    if (matches.length > 0) second ??= around(text, matches);
  }
  return second ?? around(texts[0] ?? "", []);
}

/** UTF-16 units of a text, `[start, end)`. */
type Range = [start: number, end: number];

interface Match {
  range: Range;
  /** A whole word, or a part of a compound name. */
  isWord: boolean;
}

/** What is looked for in folded text. */
interface Pattern {
  expression: RegExp;
  /** It may go on. */
  prefix: boolean;
}

function matchesIn(text: string, patterns: Pattern[]): Match[] {
  const folded = fold(text);
  return patterns.flatMap(({ expression, prefix }) =>
    [...folded.text.matchAll(expression)].map((match): Match => {
      const start = folded.toOriginal(match.index);
      const end = folded.toOriginal(match.index + match[0].length);
      return { range: [start, end], isWord: isEdge(text, start) && (prefix || isEdge(text, end)) };
    }),
  );
}

function around(text: string, matches: Match[]): Snippet {
  const ranges = merged(matches.map(({ range }) => range).sort((a, b) => a[0] - b[0]));
  const at = ranges[0]?.[0] ?? 0;
  let start = Math.max(0, at - BEFORE);
  let end = Math.min(text.length, at + AFTER);
  while (start < end && /[\s\udc00-\udfff]/.test(text.charAt(start))) start++;
  while (start < end && /[\s\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
  return {
    text: text.slice(start, end).replace(/\s/g, " "),
    highlights: ranges
      .filter((range) => range[0] < end && range[1] > start)
      .map((range) => [Math.max(range[0], start) - start, Math.min(range[1], end) - start]),
  };
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

function merged(ranges: Range[]): Range[] {
  const result: Range[] = [];
  for (const [start, end] of ranges) {
    const last = result.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else if (end > start) result.push([start, end]);
  }
  return result;
}

/** A text without case and diacritics, as the full-text index sees it. */
interface Folded {
  text: string;
  /** The place in the original of a place in `text`. */
  toOriginal(index: number): number;
}

function fold(text: string): Folded {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is what is meant.
  if (/^[\x00-\x7f]*$/.test(text)) return { text: text.toLowerCase(), toOriginal: (index) => index };
  const places: number[] = [];
  let folded = "";
  let at = 0;
  for (const character of text) {
    const plain = character.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    for (let i = 0; i < plain.length; i++) places.push(at);
    folded += plain;
    at += character.length;
  }
  return { text: folded, toOriginal: (index) => places[index] ?? text.length };
}

const WORDS = new RegExp(`${CJK_CHARACTER}|(?:(?!${CJK_CHARACTER})[\\p{L}\\p{N}])+`, "gu");

/** Finds a term where the index found it: its words in a row, whatever stands between them. */
function patternOf(term: Term): RegExp {
  const words = fold(term.text.normalize("NFC")).text.match(WORDS) ?? [];
  return new RegExp(words.map(escapePattern).join("[^\\p{L}\\p{N}]*"), "gu");
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
