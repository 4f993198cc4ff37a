import stringWidth from "string-width";
import { sanitise } from "./sanitise.ts";
import { NARROW } from "./wrap-words.ts";

// Made only when needed: that takes as long as reading a small index.
let segmenter: Intl.Segmenter | undefined;

/** UTF-16 units that are divided at once: the longer the whole text, the longer V8 takes for each cluster. */
const STRETCH = 1000;

/** `path` cuts at the start, before a separator where one is left. */
export type CutSide = "start" | "end" | "path";

// Two columns each: Chinese, kana, Hangul, full-width forms. None of them joins with a neighbour. The width of text that
// is neither wide nor narrow is left to a library.
const WIDE = String.raw`\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;
const PLAIN_TEXT = new RegExp(`^[${NARROW}${WIDE}]*$`);
const WIDE_CHARACTERS = new RegExp(`[${WIDE}]`, "g");

// Letters within a cluster: the consonants that an Indic virama or a Khmer coeng joins, the vowels am of Thai and Lao.
// Terminals give each of them its columns, but the library counts only the first letter of a cluster: so a break is
// inserted before them.
const JOINED_LETTER = /(?<=[\p{M}\u200c\u200d])\p{Lo}|[\u0e33\u0eb3]/gu;
const BREAK = "\u200b";

/** Columns that `text` (without colour codes) takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const stretch of stretchesOf(text)) {
    if (PLAIN_TEXT.test(stretch)) width += stretch.length + (stretch.match(WIDE_CHARACTERS)?.length ?? 0);
    else for (const { segment } of segments(stretch)) width += clusterWidth(segment);
  }
  return width;
}

/** By cluster. A text has thousands of clusters, but few different ones, and the library takes 10 us for one. */
const knownWidths = new Map<string, number>();
const MOST_KNOWN = 10_000;

function clusterWidth(cluster: string): number {
  let width = knownWidths.get(cluster);
  if (width === undefined) {
    width = stringWidth(cluster.replace(JOINED_LETTER, `${BREAK}$&`));
    if (knownWidths.size < MOST_KNOWN) knownWidths.set(cluster, width);
  }
  return width;
}

/** `text` (without colour codes) in at most `width` columns; what is cut off leaves an ellipsis at that side. */
export function cut(text: string, width: number, side: CutSide = "end"): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return "";
  const clusters = segmentsOf(text);
  if (side === "end") return `${leading(clusters, width - 1).join("")}…`;
  const kept = leading(clusters.reverse(), width - 1)
    .reverse()
    .join("");
  return `…${side === "path" ? fromSeparator(kept) : kept}`;
}

function fromSeparator(path: string): string {
  const separator = path.search(/[/\\]/);
  return separator < 0 ? path : path.slice(separator);
}

/** Fills up with spaces to `width` columns. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + space : space + text;
}

/** The characters a reader sees as one, with the columns each takes. */
export function clustersOf(text: string): { text: string; width: number }[] {
  return segmentsOf(text).map((segment) => ({ text: segment, width: clusterWidth(segment) }));
}

function segmentsOf(text: string): string[] {
  return [...stretchesOf(text)].flatMap((stretch) =>
    PLAIN_TEXT.test(stretch) ? [...stretch] : Array.from(segments(stretch), ({ segment }) => segment),
  );
}

/** `text` in pieces, each of which ends where a cluster ends. */
function* stretchesOf(text: string): Generator<string> {
  let from = 0;
  let length = STRETCH;
  while (from + length < text.length) {
    const piece = text.slice(from, from + length);
    // The last unit may be half of a surrogate pair, and that character may join the cluster before it.
    const end = segments(piece).containing(length - 2)?.index ?? 0;
    if (end > 0) yield piece.slice(0, end);
    from += end;
    // For a cluster longer than the stretch, twice the length is tried.
    length = end > 0 ? STRETCH : length * 2;
  }
  yield text.slice(from);
}

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

function leading(clusters: readonly string[], width: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const cluster of clusters) {
    used += clusterWidth(cluster);
    if (used > width) break;
    kept.push(cluster);
  }
  return kept;
}

const TAB = "    ";
/** Columns: lines are not broken shorter than this; the terminal breaks them then. */
const LEAST = 8;

/**
 * Text from a transcript as lines a terminal shows as they are: sanitised, tabs as spaces, and broken at
 * `width` columns, after a space where there is one in the second half. Undefined: not broken.
 */
export function wrapText(text: string, width: number | undefined): string[] {
  const lines = sanitise(text).replaceAll("\t", TAB).trimEnd().split("\n");
  if (width === undefined) return lines.map((line) => line.trimEnd());
  return lines.flatMap((line) => wrapLine(line.trimEnd(), Math.max(LEAST, width)));
}

function wrapLine(line: string, width: number): string[] {
  // A character takes at most two columns.
  if (line.length * 2 <= width || widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let pieces: { text: string; width: number }[] = [];
  let used = 0;
  for (const piece of clustersOf(line)) {
    if (used + piece.width > width) {
      const space = pieces.findLastIndex(({ text }) => text === " ");
      const end = space > pieces.length / 2 ? space + 1 : pieces.length;
      lines.push(textOf(pieces.slice(0, end)).trimEnd());
      pieces = pieces.slice(end);
      used = pieces.reduce((sum, each) => sum + each.width, 0);
    }
    pieces.push(piece);
    used += piece.width;
  }
  return [...lines, textOf(pieces)];
}

function textOf(pieces: readonly { text: string }[]): string {
  return pieces.map(({ text }) => text).join("");
}
