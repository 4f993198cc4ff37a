import { existsSync, realpathSync } from "node:fs";

/**
 * Transcripts hold whatever a program once printed. Nothing of it may drive the terminal pi draws on, and the order
 * of characters must be the one that is read. The rules are those of the command line: sequences that begin with ESC
 * go with what they carry (names of windows, addresses of links), of everything else only the control character goes.
 */

const STRING_SEQUENCE = String.raw`\u001b[\]PX^_][^\u0007\u0018\u001a\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?`;
const CONTROL_SEQUENCE = String.raw`\u001b\[[0-?]*[ -/]*[@-~]?`;
const OTHER_ESCAPE = String.raw`\u001b[ -/]*[0-Z\\^-~]?`;
const CONTROL = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`;
const BIDI_CONTROL = String.raw`[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]`;
const FORBIDDEN = new RegExp(
  [STRING_SEQUENCE, CONTROL_SEQUENCE, OTHER_ESCAPE, CONTROL, BIDI_CONTROL].join("|"),
  "g",
);

/** On one line, without anything a terminal would obey. */
export function oneLine(text: string): string {
  return piece(text).trim();
}

/** Without anything a terminal would obey, line breaks kept. */
export function plainLines(text: string): string {
  return text.replace(FORBIDDEN, "").replaceAll("\t", "    ");
}

/** A piece of such a line: the spaces at its edges stay. */
export function piece(text: string): string {
  return text.replace(FORBIDDEN, "").replace(/\s+/g, " ");
}

/** At most so many characters; what is cut ends in `…`. */
export function cutTo(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The rest of a path after a folder, its separator first; empty for the folder itself, null for a path elsewhere. */
export function restBelow(path: string, folder: string): string | null {
  // The root folder already ends in a separator.
  const name = folder.replace(/[/\\]$/, "");
  if (path === folder) return "";
  return path.startsWith(`${name}/`) || path.startsWith(`${name}\\`) ? path.slice(name.length) : null;
}

/** The path without links: pi and the index may know a folder by different names. As it stands if nothing is there. */
export function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
export const COLOUR = /(\u001b\[[\d;]*m)/;

/** Lines in colour, without anything else that a terminal would obey. */
export function styledLines(text: string): string[] {
  return text
    .split(COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : plainLines(part)))
    .join("")
    .split("\n");
}
