/**
 * Transcripts hold whatever a program once printed. Nothing of it may drive the terminal pi draws on, and the order
 * of characters must be the one that is read.
 */

const CONTROL = String.raw`[\u0000-\u001f\u007f-\u009f]`;
const BIDI_CONTROL = String.raw`[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]`;
const ESCAPE_SEQUENCE = String.raw`\u001b\[[0-?]*[ -/]*[@-~]`;
const FORBIDDEN = new RegExp(`${ESCAPE_SEQUENCE}|${CONTROL}|${BIDI_CONTROL}`, "g");
const FORBIDDEN_IN_LINES = new RegExp(`${ESCAPE_SEQUENCE}|(?!\\n)${CONTROL}|${BIDI_CONTROL}`, "g");

/** On one line, without anything a terminal would obey. */
export function oneLine(text: string): string {
  return text.replace(FORBIDDEN, " ").replace(/\s+/g, " ").trim();
}

/** The same, line breaks kept. */
export function plainLines(text: string): string {
  return text.replace(FORBIDDEN_IN_LINES, " ");
}

/** Replaces single characters by others of the same length, so that places in the text stay where they are. */
export function sameLength(text: string): string {
  return text.replace(new RegExp(`${CONTROL}|${BIDI_CONTROL}|\\s`, "g"), " ");
}

/** At most so many characters; what is cut ends in `…`. */
export function cutTo(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
