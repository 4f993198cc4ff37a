/** Texts longer than a book: only a beginning of each is taken in, because memory might not suffice for all of it. */
import type { LineTape } from "./line-tape.ts";

/** How much of one text the index takes in, in UTF-16 units. */
export const LONGEST_TEXT = 2 * 1024 * 1024;

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
/** A backslash, `u` and four digits. */
const NUMBERED_BYTES = 6;

/** What the index keeps of a text. */
export function keptOf(text: string): string {
  return text.length <= LONGEST_TEXT ? text : text.slice(0, LONGEST_TEXT).toWellFormed();
}

/** The text at a place; of one that is longer than `most` units, a beginning that is longer, too. */
export function longTextAt(tape: LineTape, place: number, most: number = LONGEST_TEXT): string {
  const [start, end] = [tape.startAt(place), tape.endAt(place)];
  // A text has at least as many bytes as units. Two more than `most`: the character that it would cut in two is left whole.
  return end - start <= most
    ? tape.textAt(place)
    : tape.textAt(place, afterUnits(tape.line, start, end, most + 2));
}

/**
 * Where at least so many UTF-16 units of a text in JSON end: before a character, and not within an escape. A character is
 * counted once, even where it takes two units: of invalid bytes each takes one at most.
 */
function afterUnits(line: Buffer, start: number, end: number, units: number): number {
  let left = units;
  for (let at = start; at < end; ) {
    const byte = line[at] ?? 0;
    const goesOn = byte >= 0x80 && byte < 0xc0;
    if (left === 0 && !goesOn) return at;
    if (!goesOn) left--;
    at += byte === BACKSLASH ? escapeBytes(line[at + 1]) : 1;
  }
  return end;
}

/** @param kind the byte after the backslash */
function escapeBytes(kind: number | undefined): number {
  return kind === SMALL_U ? NUMBERED_BYTES : 2;
}
