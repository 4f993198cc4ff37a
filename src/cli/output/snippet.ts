import { sanitise } from "../../text/sanitise.ts";
import { clustersOf } from "../../text/width.ts";

export interface SnippetOptions {
  /** The most columns of a line; undefined for one line, however long. */
  width: number | undefined;
  /** Colours the words that matched. */
  mark: (text: string) => string;
}

interface Piece {
  text: string;
  marked: boolean;
  width: number;
}

/** A piece of a transcript on as few lines as fit, white space collapsed, the matches coloured. */
export function formatSnippet(
  text: string,
  highlights: readonly (readonly [start: number, end: number])[],
  options: SnippetOptions,
): string[] {
  const pieces = collapseSpace(splitAt(text, highlights));
  const lines = options.width === undefined ? [pieces] : breakLines(pieces, options.width);
  return lines.map((line) => paintLine(line, options.mark));
}

/** Sanitised piece by piece, because the ranges refer to the text as it was before. */
function splitAt(text: string, highlights: readonly (readonly [number, number])[]): Piece[] {
  const pieces: Piece[] = [];
  const add = (from: number, to: number, marked: boolean): void => {
    for (const cluster of clustersOf(sanitise(text.slice(from, to)))) pieces.push({ ...cluster, marked });
  };
  let position = 0;
  for (const [start, end] of [...highlights].sort((a, b) => a[0] - b[0])) {
    if (start < position || end <= start) continue;
    add(position, start, false);
    add(start, end, true);
    position = end;
  }
  add(position, text.length, false);
  return pieces;
}

function collapseSpace(pieces: readonly Piece[]): Piece[] {
  const collapsed: Piece[] = [];
  for (const piece of pieces) {
    if (!/^\s+$/.test(piece.text)) collapsed.push(piece);
    else if (collapsed.at(-1)?.text !== " ") collapsed.push({ ...piece, text: " ", width: 1 });
  }
  return collapsed;
}

/** Breaks at spaces; within a word only where it is longer than a line, and anywhere in Chinese. */
function breakLines(pieces: readonly Piece[], width: number): Piece[][] {
  const lines: Piece[][] = [];
  let line: Piece[] = [];
  for (const piece of pieces) {
    if (lineWidth(line) + piece.width > width) {
      const space = line.findLastIndex((each) => each.text === " ");
      const keep = space > 0 && lineWidth(line.slice(space)) < width / 2 ? space : line.length;
      lines.push(line.slice(0, keep));
      line = line.slice(keep);
    }
    line.push(piece);
    if (line[0]?.text === " ") line.shift();
  }
  return line.length > 0 ? [...lines, line] : lines;
}

function lineWidth(line: readonly Piece[]): number {
  return line.reduce((sum, piece) => sum + piece.width, 0);
}

function paintLine(line: readonly Piece[], mark: (text: string) => string): string {
  let painted = "";
  let run = "";
  let marked = false;
  for (const piece of [...line, { text: "", marked: !line.at(-1)?.marked }]) {
    if (piece.marked !== marked) {
      painted += marked && run !== "" ? mark(run) : run;
      run = "";
      marked = piece.marked;
    }
    run += piece.text;
  }
  return painted.trim();
}
