import { EMOJI, LETTER_MARK, UNSPACED_CHARACTER } from "../fts/tokenizer.ts";
import { type Folded, fold } from "./folded.ts";
import { type SearchQuery, type Term, wantedTerms } from "./search-query.ts";

/** UTF-16 units of a text, `[start, end)`. */
export type Range = [start: number, end: number];

interface Matches {
  ranges: Range[];
  /** Whether these are what was asked for. Others are given only where there is no such match. */
  areExact: boolean;
}

/**
 * Finds what is looked for in a text: the first match, and those that begin less than `reach` units after it. There may
 * be more, in no order.
 */
export type Matcher = (text: string, reach: number) => Matches;

/** Finds exactly these characters. */
export function substringMatcher(needle: string): Matcher {
  return (text, reach) => {
    const ranges: Range[] = [];
    const first = text.indexOf(needle);
    for (let at = first; at >= 0 && at < first + reach; at = text.indexOf(needle, at + needle.length)) {
      ranges.push([at, at + needle.length]);
    }
    return { ranges, areExact: true };
  };
}

/** Finds whole words and parts of compound names; inexactly, stretches of longer words. */
export function wordMatcher(query: SearchQuery): Matcher {
  const patterns = wantedTerms(query).map(patternOf);
  return (text, reach) => {
    const folded = fold(text);
    const [exact, others] = [new FirstRanges(reach), new FirstRanges(reach)];
    for (const pattern of patterns) findMatches(pattern, { text, folded }, { exact, others });
    const areExact = exact.ranges.length > 0;
    return { ranges: areExact ? exact.ranges : others.ranges, areExact };
  };
}

/** Collects the first range that is found, and those not far behind it. */
class FirstRanges {
  readonly ranges: Range[] = [];
  readonly #reach: number;
  /** What begins here or later is too far away. */
  end = Number.POSITIVE_INFINITY;

  constructor(reach: number) {
    this.#reach = reach;
  }

  add(range: Range): void {
    if (range[0] >= this.end) return;
    this.ranges.push(range);
    this.end = Math.min(this.end, range[0] + this.#reach);
  }
}

/** What is looked for in folded text. */
interface Pattern {
  /** Its first words in a row. */
  expression: RegExp;
  /** The words that follow, each by itself. */
  rest: RegExp[];
  /** The word may go on after what matched. */
  prefix: boolean;
}

/** Marks and modifiers, which belong to the character before them. */
const ATTACHED = new RegExp(`(?!${LETTER_MARK})[\\p{M}\\p{Emoji_Modifier}]`, "uy");

function findMatches(
  { expression, rest, prefix }: Pattern,
  { text, folded }: { text: string; folded: Folded },
  { exact, others }: { exact: FirstRanges; others: FirstRanges },
): void {
  expression.lastIndex = 0;
  // An empty match would be found again and again.
  for (let match = expression.exec(folded.text); match?.[0]; match = expression.exec(folded.text)) {
    const start = folded.toOriginal(match.index);
    if (start >= exact.end) return;
    const last = endOfRest(rest, folded.text, expression.lastIndex);
    // Where the others do not follow, the first words may stand again a character later.
    expression.lastIndex = last ?? match.index + lengthOfFirst(match[0]);
    if (last === undefined) continue;
    let end = folded.toOriginal(last);
    for (ATTACHED.lastIndex = end; ATTACHED.test(text); ) end = ATTACHED.lastIndex;
    const isExact = isEdge(text, start) && (prefix || isEdge(text, end));
    (isExact ? exact : others).add([start, end]);
  }
}

const WORD = /[\p{L}\p{N}\p{M}]/u;
const UNSPACED = new RegExp(UNSPACED_CHARACTER, "u");
/** A part of a compound name begins there. */
const SEAM = /(?<=[\p{Ll}0-9]\p{M}*)\p{Lu}|(?<=\p{Lu}\p{M}*)\p{Lu}\p{M}*\p{Ll}/uy;

/** Whether a word, or a part of a compound name, may begin or end here. */
function isEdge(text: string, at: number): boolean {
  if (!isInWord(text, at)) return true;
  SEAM.lastIndex = at;
  return SEAM.test(text);
}

function isInWord(text: string, at: number): boolean {
  const [unitBefore, unitAfter] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  // Usually both are ASCII: comparing them takes a fifth of the time.
  if (unitBefore < 128 && unitAfter < 128) return isAsciiWord(unitBefore) && isAsciiWord(unitAfter);
  const before = /.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? "";
  const [after = ""] = text.slice(at, at + 2);
  return WORD.test(before) && WORD.test(after) && !UNSPACED.test(before) && !UNSPACED.test(after);
}

/** A digit or a letter. */
function isAsciiWord(code: number): boolean {
  const small = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (small >= 0x61 && small <= 0x7a);
}

const LETTER = `(?:[\\p{L}\\p{N}]|${LETTER_MARK})`;
const WORDS = new RegExp(`${EMOJI}|${UNSPACED_CHARACTER}|(?:(?!${UNSPACED_CHARACTER})${LETTER})+`, "gu");
const NO_WORD = `(?!${EMOJI})(?!${LETTER_MARK})[^\\p{L}\\p{N}]`;
const BETWEEN_WORDS = `(?:${NO_WORD})*`;
const ONE_BETWEEN = new RegExp(NO_WORD, "uy");

/**
 * How many words one regular expression looks for. Preparing it takes a millisecond for each gap between words: for a
 * passage in Chinese, where each character is a word, that would be seconds.
 */
const AT_ONCE = 4;

/** Finds a term where the index found it: its words in a row, whatever stands between them. */
function patternOf({ text, prefix }: Term): Pattern {
  const words = (fold(text.normalize("NFC")).text.match(WORDS) ?? []).map(escapePattern);
  return {
    expression: new RegExp(words.slice(0, AT_ONCE).join(BETWEEN_WORDS), "giu"),
    rest: words.slice(AT_ONCE).map((word) => new RegExp(word, "iuy")),
    prefix,
  };
}

/** Where the words end that follow from a place on; undefined where they do not. */
function endOfRest(words: readonly RegExp[], text: string, from: number): number | undefined {
  let at = from;
  for (const word of words) {
    for (word.lastIndex = at; !word.test(text); word.lastIndex = at) {
      ONE_BETWEEN.lastIndex = at;
      if (!ONE_BETWEEN.test(text)) return undefined;
      at = ONE_BETWEEN.lastIndex;
    }
    at = word.lastIndex;
  }
  return at;
}

/** Of the first character, in UTF-16 units. */
function lengthOfFirst(text: string): number {
  return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
