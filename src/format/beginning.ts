import { LINES_LOOKED_AT, PREVIEW_LENGTH } from "./content.ts";
import type { LineTape } from "./line-tape.ts";

/**
 * Characters that are no white space: a preview leaves out nothing but that, and shows none of the last one, of which
 * only the first byte is read.
 */
const ENOUGH = PREVIEW_LENGTH + 1;
/** Bytes of more units than are looked at for a preview: none takes more than three. */
const MOST_BYTES = 4 * PREVIEW_LENGTH * LINES_LOOKED_AT;
const BEGINNING = Buffer.allocUnsafeSlow(MOST_BYTES);

const BACKSLASH = 0x5c;
const BY_NUMBER = 0xff;
/** By the byte after a backslash: the byte that both stand for. */
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
 * By byte: 1 for those that begin a character that is no white space, valid or not. White space that is not ASCII begins
 * with 0xc2, 0xe1, 0xe2, 0xe3 or 0xef; what else does is not counted.
 */
const BEGINS_CHARACTER = new Uint8Array(256)
  .fill(1, 0x21, 0x7f)
  .fill(1, 0xc3, 0xe1)
  .fill(1, 0xe4, 0xef)
  .fill(1, 0xf0);

/**
 * A beginning of the text at a place, of which the preview is that of the whole text: it has enough characters that are
 * no white space, or more than are looked at. A text in which characters that are not ASCII are escaped is given whole:
 * pi writes hardly any.
 */
export function beginningAt(tape: LineTape, place: number): string {
  const line = tape.line;
  const end = tape.endAt(place);
  let filled = 0;
  let missing = ENOUGH;
  for (let at = tape.startAt(place); at < end && missing > 0 && filled < MOST_BYTES; at++) {
    let byte = line[at] ?? 0;
    if (byte === BACKSLASH) {
      byte = UNESCAPED[line[++at] ?? 0] ?? 0;
      if (byte === BY_NUMBER) {
        byte = codeAt(line, at + 1);
        if (byte >= 0x80) return tape.textAt(place);
        at += 4;
      }
    }
    missing -= BEGINS_CHARACTER[byte] ?? 0;
    BEGINNING[filled++] = byte;
  }
  return BEGINNING.toString("utf8", 0, filled);
}

function codeAt(line: Buffer, at: number): number {
  return Number.parseInt(line.toString("latin1", at, at + 4), 16);
}
