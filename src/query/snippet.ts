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

/** Cuts the stretch around the first match out of the texts of an entry; the beginning where none is found. */
export function cutSnippet(texts: string[], query: SearchQuery): Snippet {
  const patterns = query
    .flat()
    .filter((term) => !term.negated)
    .map(patternOf);
  for (const text of texts) {
    const first = firstMatch(fold(text), patterns);
    if (first !== null) return around(text, first, patterns);
  }
  return around(texts[0] ?? "", 0, patterns);
}

function around(text: string, at: number, patterns: RegExp[]): Snippet {
  const start = Math.max(0, at - BEFORE);
  const cut = text.slice(start, at + AFTER).replace(/\s/g, " ");
  const whole = cut.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return { text: whole.trim(), highlights: allMatches(fold(whole.trim()), patterns) };
}

function firstMatch(folded: Folded, patterns: RegExp[]): number | null {
  const places = patterns.map((pattern) => folded.text.search(pattern)).filter((place) => place >= 0);
  return places.length === 0 ? null : folded.toOriginal(Math.min(...places));
}

function allMatches(folded: Folded, patterns: RegExp[]): [number, number][] {
  const ranges = patterns.flatMap((pattern) =>
    [...folded.text.matchAll(pattern)].map((match): [number, number] => [
      folded.toOriginal(match.index),
      folded.toOriginal(match.index + match[0].length),
    ]),
  );
  return merged(ranges.sort((a, b) => a[0] - b[0]));
}

function merged(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
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

/** Finds a term where the index found it: its words in a row, whatever stands between them. */
function patternOf(term: Term): RegExp {
  const words =
    fold(term.text.normalize("NFC")).text.match(new RegExp(`${CJK_CHARACTER}|[\\p{L}\\p{N}]`, "gu")) ?? [];
  const runs = fold(term.text.normalize("NFC")).text.match(
    new RegExp(`${CJK_CHARACTER}|(?:(?!${CJK_CHARACTER})[\\p{L}\\p{N}])+`, "gu"),
  );
  return new RegExp((runs ?? words).map(escapePattern).join("[^\\p{L}\\p{N}]*"), "gu");
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
