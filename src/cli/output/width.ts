import stringWidth from "string-width";

const graphemes = new Intl.Segmenter();

export type CutSide = "start" | "end";

/** Columns that `text` takes on a terminal. Colour codes count as nothing. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** `text` (without colour codes) in at most `width` columns; what is cut off leaves an ellipsis at that side. */
export function cut(text: string, width: number, side: CutSide = "end"): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return "";
  const clusters = Array.from(graphemes.segment(text), (part) => part.segment);
  if (side === "start") clusters.reverse();
  const kept = leading(clusters, width - 1);
  return side === "start" ? `…${kept.reverse().join("")}` : `${kept.join("")}…`;
}

/** Fills up with spaces to `width` columns. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + space : space + text;
}

/** The characters a reader sees as one, with the columns each takes. */
export function clustersOf(text: string): { text: string; width: number }[] {
  return Array.from(graphemes.segment(text), ({ segment }) => ({ text: segment, width: widthOf(segment) }));
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
