import { LINES_LOOKED_AT, PREVIEW_LENGTH } from "../../text/preview.ts";
import { unitAt } from "../json.ts";
import { longTextAt, type Tape } from "./tape.ts";

/**
 * How many characters other than white space are read: a preview leaves out white space only. It does not show the last
 * of these, of which only the first byte is read.
 */
const ENOUGH = PREVIEW_LENGTH + 1;
/** How many bytes are read at most. They hold more UTF-16 units than a preview looks at: none takes more than three. */
const MOST_BYTES = 4 * PREVIEW_LENGTH * LINES_LOOKED_AT;
const BEGINNING = Buffer.allocUnsafeSlow(MOST_BYTES);

const BACKSLASH = 0x5c;
const BY_NUMBER = 0xff;
/** The byte that an escape stands for, by the byte after its backslash. */
const UNESCAPED = new Uint8Array(256).fill(BY_NUMBER);
for (const [character, meant] of Object.entries({
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
})) {
  UNESCAPED[character.charCodeAt(0)] = meant.charCodeAt(0);
}

/**
 * By byte: 1 for one that begins a character other than white space, valid or not. Non-ASCII white space begins with
 * 0xc2, 0xe1, 0xe2, 0xe3 or 0xef; other characters that begin with these are not counted.
 */
const BEGINS_CHARACTER = new Uint8Array(256)
  .fill(1, 0x21, 0x7f)
  .fill(1, 0xc3, 0xe1)
  .fill(1, 0xe4, 0xef)
  .fill(1, 0xf0);

/**
 * Returns a beginning of the text at a place that has the same preview as the whole text: it has enough characters
 * other than white space, or more units than a preview looks at. Of a text with escapes of non-ASCII characters
 * more is given: pi writes hardly any.
 */
export function beginningAt(tape: Tape, place: number): string {
  const line = tape.line;
  const end = tape.endAt(place);
  let filled = 0;
  let missing = ENOUGH;
  for (let at = tape.startAt(place); at < end && missing > 0 && filled < MOST_BYTES; at++) {
    let byte = line[at] ?? 0;
    if (byte === BACKSLASH) {
      byte = UNESCAPED[line[++at] ?? 0] ?? 0;
      if (byte === BY_NUMBER) {
        byte = unitAt(line, at + 1);
        if (byte >= 0x80) return longTextAt(tape, place, MOST_BYTES);
        at += 4;
      }
    }
    missing -= BEGINS_CHARACTER[byte] ?? 0;
    BEGINNING[filled++] = byte;
  }
  return BEGINNING.toString("utf8", 0, filled);
}
