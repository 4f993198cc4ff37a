import { oneLine, sanitise } from "../../text/sanitise.ts";
import { clustersOf, cut, pad, widthOf } from "../../text/width.ts";

export interface SnippetOptions {
  /** The most columns of a line; undefined for one line, however long. */
  width: number | undefined;
  /** Colours the words that matched. */
  mark: (text: string) => string;
  /** Columns of the first line that are taken already; none unless told. */
  lead?: number;
  /** The most lines, of which the first match stands in the first half; all there are unless told. */
  most?: number;
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
  const { width, lead = 0, most, mark } = options;
  const pieces = collapseSpace(splitAt(text, highlights));
  if (width === undefined) return [paintLine(pieces, mark)];
  if (most === undefined) return breakLines(pieces, width, lead).map((line) => paintLine(line, mark));
  const lines = breakLines(fromMatch(pieces, (width * most - lead) / 2), width, lead);
  const shown = lines.slice(0, most);
  const last = shown.at(-1);
  if (last !== undefined && lines.length > most) {
    shown[shown.length - 1] = withEllipsis(last, most === 1 ? width - lead : width);
  }
  return shown.map((line) => paintLine(line, mark));
}

const ELLIPSIS: Piece = { text: "…", marked: false, width: 1 };

/** From a word on that stands so near before the first match that both fit into `room` columns. */
function fromMatch(pieces: readonly Piece[], room: number): readonly Piece[] {
  const match = pieces.findIndex(({ marked }) => marked);
  let start = match;
  for (let left = room; start > 0 && left > 0; start--) left -= pieces[start - 1]?.width ?? 0;
  if (start <= 0) return pieces;
  const space = pieces.findIndex(({ text }, at) => at >= start && at < match && text === " ");
  return [ELLIPSIS, ...pieces.slice(space < 0 ? start : space + 1)];
}

/** A line that does not end there, in at most so many columns. */
function withEllipsis(line: readonly Piece[], width: number): Piece[] {
  const end = line.findIndex((_, at) => lineWidth(line.slice(0, at + 1)) >= width);
  return [...(end < 0 ? line : line.slice(0, end)), ELLIPSIS];
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
function breakLines(pieces: readonly Piece[], whole: number, lead: number): Piece[][] {
  const lines: Piece[][] = [];
  let line: Piece[] = [];
  let width = whole - lead;
  for (const piece of pieces) {
    if (lineWidth(line) + piece.width > width) {
      const space = line.findLastIndex((each) => each.text === " ");
      const keep = space > 0 && lineWidth(line.slice(space)) < width / 2 ? space : line.length;
      lines.push(line.slice(0, keep));
      line = line.slice(keep);
      width = whole;
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

export interface Definition {
  /** The words that are explained, one for each column. */
  terms: readonly string[];
  about: string;
}

const GAP = "  ";
/** In columns: where there is less room beside the terms, the sentence stands below them. */
const LEAST_ABOUT = 20;

/**
 * Terms in columns, each row with a sentence; a sentence that does not fit is wrapped, never cut off. `paints`: one for
 * each column, the last for the sentences.
 */
export function formatDefinitions(
  definitions: readonly Definition[],
  options: { width: number | undefined; paints: readonly ((term: string) => string)[] },
): string[] {
  const columns = Math.max(0, ...definitions.map(({ terms }) => terms.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...definitions.map(({ terms }) => widthOf(oneLine(terms[column] ?? "")))),
  );
  const beside = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const isBelow = options.width !== undefined && options.width - beside < LEAST_ABOUT;
  // So narrow that terms are not aligned.
  const isTight = options.width !== undefined && options.width < beside - GAP.length;
  const indent = isBelow ? GAP.length : beside;
  const room = options.width === undefined ? undefined : options.width - indent;
  const paintAbout = options.paints[columns] ?? String;
  return definitions.flatMap(({ terms, about }) => {
    const head = widths.map((width, column) => {
      const paint = options.paints[column] ?? String;
      return paint(pad(oneLine(terms[column] ?? ""), isTight ? 0 : width));
    });
    const lines = formatSnippet(about, [], { width: room, mark: String }).map(paintAbout);
    const below = lines.map((line) => " ".repeat(indent) + line);
    if (isBelow) return [head.join(GAP), ...below];
    return [[...head, lines[0] ?? ""].join(GAP), ...below.slice(1)];
  });
}

/** Columns of a space and two brackets. */
const FRAME = 3;
/** In columns: a label with less room is left out. */
const LEAST = 3;

/** A label in brackets, for the end of a line with `room` columns left. */
export function shownLabel(label: string, room: number): string {
  return label === "" || room < FRAME + LEAST ? "" : ` [${cut(oneLine(label), room - FRAME)}]`;
}
