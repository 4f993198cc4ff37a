import stringWidth from "string-width";

// Made when first needed: it takes as long as reading a small index.
let segmenter: Intl.Segmenter | undefined;

/** `path` cuts at the start, before a separator where one is left. */
export type CutSide = "start" | "end" | "path";

// One column each: letters of Europe, quotation marks and dashes, what tables and bars are made of. Two columns
// each: Chinese, kana, Hangul, full-width forms. None of them joins with a neighbour. For all other text a library
// knows the width, at the price of expressions that take long to compile.
const NARROW = String.raw` -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2500-\u259f`;
const WIDE = String.raw`\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;
const PLAIN_TEXT = new RegExp(`^[${NARROW}${WIDE}]*$`);
const WIDE_CHARACTERS = new RegExp(`[${WIDE}]`, "g");

/** Columns that `text` takes on a terminal. Colour codes count as nothing. */
export function widthOf(text: string): number {
  if (!PLAIN_TEXT.test(text)) return stringWidth(text);
  return text.length + (text.match(WIDE_CHARACTERS)?.length ?? 0);
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
  return segmentsOf(text).map((segment) => ({ text: segment, width: widthOf(segment) }));
}

function segmentsOf(text: string): string[] {
  if (PLAIN_TEXT.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function leading(clusters: readonly string[], width: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const cluster of clusters) {
    used += widthOf(cluster);
    if (used > width) break;
    kept.push(cluster);
  }
  return kept;
}
