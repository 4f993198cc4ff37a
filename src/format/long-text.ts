import { looksRandom } from "../text/random-text.ts";

/**
 * How much of one text the index takes in, in UTF-16 units. Of a text that is longer than a book only a beginning is kept,
 * because memory might not suffice for all of it.
 */
export const LONGEST_TEXT = 2 * 1024 * 1024;

/** In UTF-16 units: of data that is longer, only its beginning is kept. */
const LONGEST_DATA = 4096;
const KEPT_OF_DATA = 256;
/** What has no space in it for longer than any word, over one line or many. */
const UNBROKEN = /[!-~]{32,}(?:\s{1,2}[!-~]{32,})*/g;

/** What the index keeps of a text: of what is longer than a book, and of data within it, a beginning. */
export function keptOf(text: string): string {
  const kept = text.length <= LONGEST_TEXT ? text : text.slice(0, LONGEST_TEXT).toWellFormed();
  if (kept.length <= LONGEST_DATA) return kept;
  return kept.replace(UNBROKEN, (run) => (isData(run) ? `${run.slice(0, KEPT_OF_DATA)}…` : run));
}

/** Base64, hexadecimal digits, one long line; not a list of paths. */
function isData(run: string): boolean {
  if (run.length <= LONGEST_DATA) return false;
  const pieces = run.split(/\s+/);
  return pieces.length === 1 || [0.25, 0.5, 0.75].every((part) => looksRandom(pieceAt(pieces, part)));
}

function pieceAt(pieces: readonly string[], part: number): string {
  return pieces[Math.floor(pieces.length * part)] ?? "";
}
