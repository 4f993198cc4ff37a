import { homedir } from "node:os";
import type { Highlights } from "./hits.ts";
import type { Paint } from "./panel-source.ts";
import type { Theme } from "./screen.ts";
import { COLOUR, oneLine, piece, restBelow } from "./text.ts";

/** Left and right part of one line: the left one is cut where both do not fit. */
export function twoSides(left: string, right: string, { tui, width }: Paint): string {
  const room = width - tui.visibleWidth(right) - 2;
  if (room < 10) return tui.truncateToWidth(left, width, "…");
  const shown = tui.truncateToWidth(left, room, "…");
  return shown + " ".repeat(Math.max(2, width - tui.visibleWidth(shown) - tui.visibleWidth(right))) + right;
}

/** A stretch of text on one line, from a little before the first match on. */
export function markedLine(text: string, highlights: Highlights, paint: Paint): string {
  const first = highlights[0]?.[0] ?? 0;
  const start = first > paint.width / 2 ? wordFrom(text, first - Math.floor(paint.width / 3), first) : 0;
  const shifted = highlights.map(([from, to]) => [from - start, to - start] as const);
  const line = marked(text.slice(start).replace(/^[\udc00-\udfff]/, " "), shifted, paint);
  return paint.tui.truncateToWidth(start > 0 ? `…${line}` : line, paint.width, "…");
}

/** Where the next word begins, if one does before `end`. */
function wordFrom(text: string, start: number, end: number): number {
  const space = text.slice(start, end).search(/\s\S/);
  return space < 0 ? start : start + space + 1;
}

/** The text with what matched in colour. */
export function marked(text: string, highlights: Highlights, { theme }: Paint): string {
  // Piece by piece, because the ranges count the text as it came.
  let line = "";
  let at = 0;
  for (const [from, to] of highlights) {
    const start = Math.max(at, from);
    if (to <= start) continue;
    line += theme.fg("muted", piece(text.slice(at, start)));
    line += theme.bold(theme.fg("accent", piece(text.slice(start, to))));
    at = to;
  }
  return line + theme.fg("muted", piece(text.slice(at)));
}

/** A word so short stands within many others, where nobody has looked for it. */
const WITHIN_OTHERS = /^[\p{Script=Latin}\p{N}]{1,2}$/u;

/** Marks words in lines that are in colour already. */
export class WordMarker {
  readonly #words: RegExp | null;
  readonly #theme: Theme;

  constructor(words: readonly string[], theme: Theme) {
    // The longest first: of two that begin alike the first one is taken.
    const distinct = [...new Set(words)].filter(Boolean).sort((a, b) => b.length - a.length);
    this.#words = distinct.length === 0 ? null : new RegExp(distinct.map(patternOf).join("|"), "giu");
    this.#theme = theme;
  }

  mark(line: string): string {
    const words = this.#words;
    if (words === null) return line;
    let colours = "";
    return line
      .split(COLOUR)
      .map((part, at) => {
        if (at % 2 === 1) {
          colours = RESET.test(part) ? "" : colours + part;
          return part;
        }
        return part.replace(words, (word) => this.#theme.bold(this.#theme.fg("accent", word)) + colours);
      })
      .join("");
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
const RESET = /^\u001b\[0?m$/;

function patternOf(word: string): string {
  const pattern = word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return WITHIN_OTHERS.test(word) ? `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])` : pattern;
}

/** `~/projects/tide`, its beginning cut where it is long: a quarter of the width is for it. */
export function projectIn({ width, tui }: Paint, cwd: string): string {
  return endOf(projectOf(cwd), { tui, width: Math.max(12, Math.min(40, Math.floor(width / 4))) });
}

/** `~/projects/tide`. */
export function projectOf(cwd: string): string {
  const home = homedir();
  const rest = home === "" ? null : restBelow(cwd, home);
  return oneLine(rest === null ? cwd : `~${rest}`);
}

/** The end of a path, which says most of it, from a separator on where there is one: `…/tide/src`. */
export function endOf(path: string, { tui, width }: Pick<Paint, "tui" | "width">): string {
  if (tui.visibleWidth(path) <= width) return path;
  // To measure a text takes time by its length, and it is measured for each character that goes.
  const characters = [...path.slice(-4 * width)];
  while (tui.visibleWidth(characters.join("")) >= width && characters.length > 0) characters.shift();
  const end = characters.join("");
  const separator = end.search(/[/\\]/);
  return `…${separator < 0 ? end : end.slice(separator)}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `now`, `5m`, `3h`, `2d`; the date from two weeks on. `time` as ISO 8601. */
export function agoOf(time: string, now: number): string {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return "";
  const age = now - then;
  if (age < MINUTE) return "now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h`;
  return age < 14 * DAY ? `${Math.floor(age / DAY)}d` : dateOf(time);
}

/** `2026-11-03`. */
export function dateOf(time: string): string {
  return oneLine(time.slice(0, 10));
}

/** `$1.23`, `<$0.01`, `$0`. */
export function moneyOf(cost: number): string {
  if (cost === 0) return "$0";
  // Half a cent goes up, as everywhere, also where the binary number is a little below it.
  return cost < 0.005 ? "<$0.01" : `$${(Math.round(cost * 100 + 1e-7) / 100).toFixed(2)}`;
}

/** `812`, `4.5K`, `1.2M`. */
export function compact(count: number): string {
  if (count < 1000) return String(count);
  const [unit, size] = count < 999_500 ? (["K", 1e3] as const) : (["M", 1e6] as const);
  const value = count / size;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`;
}
