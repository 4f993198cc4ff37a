import type { TextRange } from "./secret-shape.ts";

/** The first line, from the trigger on; it names the key's algorithm before that. */
const FIRST_LINE = /(?<=(?<before>-{4,5} ?BEGIN [ A-Z0-9_-]{0,40}))PRIVATE KEY(?: BLOCK)? ?-{4,5}/dy;
const LAST_LINE = /-{4,6} ?END [ A-Z0-9_-]{0,60}-{4,5}/y;
/** `Proc-Type: 4,ENCRYPTED`, whose line end may have become a space: it is over where base64 begins. */
const HEADERS =
  /[\s\\rn"'|>+]{0,40}[A-Za-z-]{4,20}: [\s\S]{1,500}?(?=(?:\s|\\[rnt]|[|:>→"'+])[A-Za-z0-9+/]{24})/y;
const BASE64 = /[A-Za-z0-9+/=]+/y;
/**
 * What stands between lines of base64: line ends (which may be escaped), what a diff, a comment, a quotation or the source of
 * a program puts before and after a line, and the place of a line: `12`, `12:`, `12#k3:`, `key.pem:12:`, `12→`.
 */
const BETWEEN = new RegExp(
  [
    String.raw`(?:[\s"'\x60,;|>#*:.+→│]|-(?!-)|\\{1,4}[rnt]?|//`,
    String.raw`|\b(?:[\w./~-]{1,100}[:-])?\d{1,6}(?:#[A-Za-z0-9]{1,4})?[\s:|→│-]){1,200}`,
  ].join(""),
  "y",
);

/** Characters of base64 that are a line of a key, and not a word of what follows one that was cut off. */
const LINE = 24;
/** Shorter lines that a key may end with: the rest, and a checksum. */
const SHORT_LINES = 3;
/** Characters of a line that was cut off. */
const CUT_LINE = 12;

/**
 * The private key whose first line holds `PRIVATE KEY` at `at`: to its last line, or as far as there are lines of base64. Prose
 * about keys has none.
 */
export function privateKeyAt(text: string, at: number, isCut: boolean): TextRange | undefined {
  FIRST_LINE.lastIndex = at;
  const first = FIRST_LINE.exec(text);
  const start = first?.indices?.groups?.before?.[0];
  if (start === undefined) return undefined;
  const end = endOfKey(text, passed(HEADERS, text, FIRST_LINE.lastIndex), isCut);
  return end === undefined ? undefined : [start, end];
}

/** Undefined: no line of a key begins at `from`. */
function endOfKey(text: string, from: number, isCut: boolean): number | undefined {
  let end: number | undefined;
  let short = 0;
  for (let at = from; short <= SHORT_LINES; ) {
    const line = passed(BETWEEN, text, at);
    const last = passed(LAST_LINE, text, line);
    if (last > line) return end === undefined ? undefined : last;
    at = passed(BASE64, text, line);
    if (at === line) return end;
    if (at - line >= LINE || (isCut && at === text.length && (end !== undefined || at - line >= CUT_LINE)))
      end = at;
    else if (end === undefined) return undefined;
    else short++;
  }
  return end;
}

/** Where the text goes on behind what matches at `at`. */
function passed(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
