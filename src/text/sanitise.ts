/**
 * What programs print that is not to be read, as sources of regular expressions: sequences that a terminal obeys, and
 * characters of which nothing is seen. `src/panels/text.ts` has some of them too: nothing of ours is loaded into pi.
 */

/** ESC `]` `P` `X` `^` `_`: OSC, DCS, SOS, PM, APC. The payload ends at ST, BEL or another ESC, or with the line. */
export const STRING_SEQUENCE = String.raw`\u001b[\]PX^_][^\u0007\u0018\u001a\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?`;
export const CONTROL_SEQUENCE = String.raw`\u001b\[[0-?]*[ -/]*[@-~]?`;
export const OTHER_ESCAPE = String.raw`\u001b[ -/]*[0-Z\\^-~]?`;
/** All but tabs and line feeds. */
const CONTROL_CHARACTER = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`;
/** Those that change in which direction text is shown: a terminal obeys them, and what is read is not what is there. */
export const BIDI_CONTROLS = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;

/**
 * Text from transcripts must not drive the terminal it is shown on. Sequences that begin with ESC go
 * together with their payload; of everything else only the control character goes, so that text broken
 * by a wrong decoding (U+009D for a quotation mark) does not take its neighbours along.
 */

const BIDI_CONTROL = `[${BIDI_CONTROLS}]`;

const FORBIDDEN = new RegExp(
  [STRING_SEQUENCE, CONTROL_SEQUENCE, OTHER_ESCAPE, CONTROL_CHARACTER, BIDI_CONTROL].join("|"),
  "g",
);
// Almost every text is clean; the test is one pass and spares the copy.
const SUSPICIOUS = new RegExp(`${CONTROL_CHARACTER}|${BIDI_CONTROL}`);

/** `text` without anything a terminal would obey; `\n` and `\t` stay. */
export function sanitise(text: string): string {
  return SUSPICIOUS.test(text) ? text.replace(FORBIDDEN, "") : text;
}

/** `text` sanitised and on one line: runs of white space become one space. */
export function oneLine(text: string): string {
  return sanitise(text).replace(/\s+/g, " ").trim();
}
