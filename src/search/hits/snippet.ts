import { findSecrets, maskOf } from "../../text/secrets.ts";
import type { Matcher, Range } from "../query/matcher.ts";

/** A stretch of text with the places that matched, as UTF-16 ranges `[start, end)` in it. */
export interface Snippet {
  text: string;
  highlights: Range[];
}

/** A snippet, and where in which text it stands. */
export interface CutSnippet extends Snippet {
  source: string;
  start: number;
}

/** Characters shown before and after the first match. */
const BEFORE = 60;
const AFTER = 180;
/** A word that is cut at an edge is left out, unless more than so many characters would be left out with it. */
const LONGEST_PART = 20;

/** Cuts the stretch around the first match out of the texts of an entry; the beginning where none is found. */
export function cutSnippet(texts: string[], matcher: Matcher): CutSnippet {
  let second: CutSnippet | undefined;
  for (const text of texts) {
    const { ranges, areExact } = matcher(text, AFTER);
    if (ranges.length === 0) continue;
    if (areExact) return around(text, ranges);
    second ??= around(text, ranges);
  }
  return second ?? around(texts[0] ?? "", []);
}

function around(text: string, matches: Range[]): CutSnippet {
  const ranges = merged(matches.sort((a, b) => a[0] - b[0]));
  const at = ranges[0]?.[0] ?? 0;
  let start = wordStart(text, Math.max(0, at - BEFORE), at);
  let end = wordEnd(text, Math.min(text.length, at + AFTER));
  // No half of a character, and no mark without its character, is left at the edge.
  while (start > 0 && start < at && /[\s\udc00-\udfff\p{M}]/u.test(text.charAt(start))) start++;
  if (end < text.length && /[\udc00-\udfff]/.test(text.charAt(end))) end--;
  while (start < end && /\s/.test(text.charAt(start))) start++;
  while (start < end && /\s/.test(text.charAt(end - 1))) end--;
  return {
    source: text,
    start,
    text: text.slice(start, end).replace(/[^\S ]/g, " "),
    highlights: ranges
      .filter((range) => range[0] < end && range[1] > start)
      .map((range) => [Math.max(range[0], start) - start, Math.min(range[1], end) - start]),
  };
}

/** The beginning of the next word, where one is near; what is shown of a word at the edge can be read then. */
function wordStart(text: string, start: number, end: number): number {
  if (start === 0 || !/^\w\w$/.test(text.slice(start - 1, start + 1))) return start;
  const next = text.slice(start, Math.min(end, start + LONGEST_PART)).search(/\W/);
  return next < 0 ? start : start + next;
}

function wordEnd(text: string, end: number): number {
  if (!/^\w\w$/.test(text.slice(end - 1, end + 1))) return end;
  const last = /\W\w*$/.exec(text.slice(Math.max(0, end - LONGEST_PART), end));
  return last === null ? end : end - last[0].length + 1;
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

/**
 * How far around a snippet secrets are looked for, because it may hold a part of one: as far as a private key reaches, and
 * then to the end of a run of characters, which may be one. UTF-16 units.
 */
const AROUND = 16_000;

/** The snippet with secrets masked, also those of which it holds only a part. */
export function maskSnippet({ source, start, text, highlights }: CutSnippet): Snippet {
  const from = runStart(source, start - AROUND);
  const found = findSecrets(source.slice(from, runEnd(source, start + text.length + AROUND)));
  const masked: Snippet = { text, highlights };
  // From the last to the first, so that the places of those before do not move.
  for (const secret of found.toReversed()) {
    const range: Range = [
      Math.max(0, secret.start + from - start),
      Math.min(text.length, secret.end + from - start),
    ];
    if (range[0] < range[1]) replaceRange(masked, range, maskOf(secret));
  }
  // Several matches within one secret have become one: its mask.
  return { text: masked.text, highlights: merged(masked.highlights) };
}

function runStart(text: string, from: number): number {
  let start = Math.max(0, from);
  while (start > 0 && !isSpace(text, start - 1)) start--;
  return start;
}

function runEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && !isSpace(text, end)) end++;
  return end;
}

/** Whether the character ends a run: a space or a control character. */
function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 0x20;
}

function replaceRange(snippet: Snippet, [start, end]: Range, mask: string): void {
  const grown = mask.length - (end - start);
  /** What matched in the secret is the whole mask. */
  const moved = (at: number, inside: number) => (at <= start ? at : at >= end ? at + grown : inside);
  snippet.text = snippet.text.slice(0, start) + mask + snippet.text.slice(end);
  snippet.highlights = snippet.highlights.map(([first, last]) => [
    moved(first, start),
    moved(last, start + mask.length),
  ]);
}
