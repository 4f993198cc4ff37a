import { sanitise } from "./sanitise.ts";
import { clustersOf, widthOf } from "./width.ts";

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
