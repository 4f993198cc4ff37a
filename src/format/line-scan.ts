import { numberEnd } from "./json-number.ts";
import { KIND, type LineTape } from "./line-tape.ts";
import { runEnd, shortRunEnd } from "./plain-runs.ts";

/** How deep values may be nested; lines with deeper ones are left to `parseLine`, which takes any depth. */
const DEEPEST = 200;
/** Returned as the end of a value that is not understood. */
const NOWHERE = -1;

const [QUOTE, BACKSLASH, SPACE, COMMA, COLON] = [0x22, 0x5c, 0x20, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const [SMALL_T, SMALL_F, SMALL_N, SMALL_U] = [0x74, 0x66, 0x6e, 0x75];
const [TRUE, FALSE, NULL] = [Buffer.from("true"), Buffer.from("false"), Buffer.from("null")];

/** By byte: 1 for those that make an escape with the backslash before them, except `u`. */
const ESCAPED = ones('"\\/bfnrt');
/** Bytes of such an escape. */
const SHORT_ESCAPE = 2;
const HEX_DIGITS = ones("0123456789abcdefABCDEF");

function ones(characters: string): Uint8Array {
  const bytes = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) bytes[byte] = 1;
  return bytes;
}

/**
 * Goes through a line, looking at every byte, and writes the places of its values to the tape. That takes a third of
 * the time of `JSON.parse`, and leaves nothing to be collected. False for a line that is no object, or not understood.
 *
 * What is understood is JSON, and means what `JSON.parse` reads in it. Not all JSON is understood: white space only
 * where it is one space after a comma or a colon, as programs other than pi write it; values only as many as the tape
 * has room for, and only to a certain depth.
 */
export function scanLine(line: Buffer, tape: LineTape): boolean {
  if (line[0] !== OPEN_OBJECT) return false;
  tape.begin(line);
  return valueEnd(tape, 0, 0) === line.length;
}

/** As the functions below: takes the place where something begins, and returns where it ends. */
function valueEnd(tape: LineTape, start: number, depth: number): number {
  if (tape.isFull || depth > DEEPEST) return NOWHERE;
  switch (tape.line[start]) {
    case QUOTE:
      return textEnd(tape, start, runEnd(tape.line, tape.words, start + 1));
    case OPEN_OBJECT:
      return objectEnd(tape, start, depth);
    case OPEN_LIST:
      return listEnd(tape, start, depth);
    case SMALL_T:
      return wordEnd(tape, start, TRUE, KIND.true);
    case SMALL_F:
      return wordEnd(tape, start, FALSE, KIND.false);
    case SMALL_N:
      return wordEnd(tape, start, NULL, KIND.null);
    default:
      return addedNumberEnd(tape, start);
  }
}

function objectEnd(tape: LineTape, start: number, depth: number): number {
  const line = tape.line;
  const object = tape.add(KIND.object, start, NOWHERE);
  let at = start + 1;
  if (line[at] !== CLOSE_OBJECT) {
    for (; ; at = afterSpace(line, at + 1)) {
      at = nameEnd(tape, at);
      if (at < 0) return NOWHERE;
      at = valueEnd(tape, at, depth + 1);
      if (at < 0) return NOWHERE;
      if (line[at] === CLOSE_OBJECT) break;
      if (line[at] !== COMMA) return NOWHERE;
    }
  }
  tape.close(object);
  return at + 1;
}

function listEnd(tape: LineTape, start: number, depth: number): number {
  const line = tape.line;
  const list = tape.add(KIND.list, start, NOWHERE);
  let at = start + 1;
  if (line[at] !== CLOSE_LIST) {
    for (; ; at = afterSpace(line, at + 1)) {
      at = valueEnd(tape, at, depth + 1);
      if (at < 0) return NOWHERE;
      if (line[at] === CLOSE_LIST) break;
      if (line[at] !== COMMA) return NOWHERE;
    }
  }
  tape.close(list);
  return at + 1;
}

/** The end of a name and the colon after it. Names are short and hardly ever have escapes. */
function nameEnd(tape: LineTape, start: number): number {
  const line = tape.line;
  if (line[start] !== QUOTE) return NOWHERE;
  const colon = textEnd(tape, start, shortRunEnd(line, start + 1));
  return line[colon] === COLON ? afterSpace(line, colon + 1) : NOWHERE;
}

/** @param run where the text's first run of plain bytes ends */
function textEnd(tape: LineTape, start: number, run: number): number {
  const line = tape.line;
  let kind: number = KIND.text;
  let at = run;
  while (line[at] === BACKSLASH) {
    const length = escapeLength(line, at + 1);
    if (length === 0) return NOWHERE;
    if (length > SHORT_ESCAPE) kind = KIND.numbered;
    else if (kind === KIND.text) kind = KIND.escaped;
    at = runEnd(line, tape.words, at + length);
  }
  if (line[at] !== QUOTE) return NOWHERE;
  tape.add(kind, start + 1, at);
  return at + 1;
}

function wordEnd(tape: LineTape, start: number, word: Buffer, kind: number): number {
  for (let at = 1; at < word.length; at++) if (tape.line[start + at] !== word[at]) return NOWHERE;
  tape.add(kind, start, start + word.length);
  return start + word.length;
}

function addedNumberEnd(tape: LineTape, start: number): number {
  const end = numberEnd(tape.line, start);
  if (end > 0) tape.add(KIND.number, start, end);
  return end;
}

function afterSpace(line: Buffer, at: number): number {
  return line[at] === SPACE ? at + 1 : at;
}

/** How many bytes the escape has whose second byte is at `second`; 0 where it is none. */
function escapeLength(line: Buffer, second: number): number {
  const byte = line[second] ?? 0;
  if (byte !== SMALL_U) return ESCAPED[byte] === 1 ? SHORT_ESCAPE : 0;
  for (let at = second + 1; at <= second + 4; at++) if (HEX_DIGITS[line[at] ?? 0] !== 1) return 0;
  return 6;
}
