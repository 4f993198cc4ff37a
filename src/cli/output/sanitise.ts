import {
  BIDI_CONTROLS,
  CONTROL_CHARACTER,
  CONTROL_SEQUENCE,
  OTHER_ESCAPE,
  STRING_SEQUENCE,
} from "../../format/escapes.ts";

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
