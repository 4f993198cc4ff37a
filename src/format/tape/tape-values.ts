import type { JsonObject, JsonValue } from "../json.ts";
import { longTextAt, type Tape, ValueType } from "./tape.ts";
import { beginningAt } from "./tape-preview.ts";

/** A time as `toISOString` writes it. */
const PATTERN = Buffer.from("0000-00-00T00:00:00.000Z");
const [ZERO, NINE] = [0x30, 0x39];

/**
 * Reads the time in the bytes from `start` to before `end`, in Unix ms, as `Date.parse` does. Null for one that is not
 * written as `toISOString` writes it, and for years before 100, days after the 28th and numbers out of range, which are
 * left to `Date.parse`. It takes a quarter of the time of making a string and parsing it.
 */
export function isoTimeAt(line: Buffer, start: number, end: number): number | null {
  if (end - start !== PATTERN.length || !isIso(line, start)) return null;
  const year = twoDigits(line, start) * 100 + twoDigits(line, start + 2);
  const month = twoDigits(line, start + 5);
  const day = twoDigits(line, start + 8);
  const hour = twoDigits(line, start + 11);
  const minute = twoDigits(line, start + 14);
  const second = twoDigits(line, start + 17);
  const ms = twoDigits(line, start + 20) * 10 + digit(line, start + 22);
  // `Date.UTC` adds 1900 to years before 100, and accepts numbers out of range, which `Date.parse` may refuse.
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > 28) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

function isIso(line: Buffer, start: number): boolean {
  for (let at = 0; at < PATTERN.length; at++) {
    const byte = line[start + at] ?? 0;
    const wanted = PATTERN[at];
    if (wanted === ZERO ? byte < ZERO || byte > NINE : byte !== wanted) return false;
  }
  return true;
}

function twoDigits(line: Buffer, at: number): number {
  return digit(line, at) * 10 + digit(line, at + 1);
}

function digit(line: Buffer, at: number): number {
  return (line[at] ?? ZERO) - ZERO;
}

const [MINUS, POINT] = [0x2d, 0x2e];

/** 10^22 is the largest power of ten that a double holds exactly. */
const MOST_FRACTION_DIGITS = 22;
const POWERS_OF_TEN = Array.from({ length: MOST_FRACTION_DIGITS + 1 }, (_none, power) =>
  Number(`1e${power}`),
);

/**
 * The number that stands from `start` to `end`, as `JSON.parse` reads it. Most are computed from their digits here, which
 * takes a quarter of the time of `Number`: where both the digits and the power of ten by which they are divided are exact,
 * the quotient is the nearest double.
 */
export function numberAt(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start;
  let digits = 0;
  let point = end - 1;
  for (let at = first; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (isDigit(byte)) digits = digits * 10 + (byte - ZERO);
    else if (byte === POINT) point = at;
    else return Number(bytes.toString("latin1", start, end));
  }
  const fractionDigits = end - 1 - point;
  // A number of digits beyond the largest safe integer stays beyond it, however many follow.
  if (digits > Number.MAX_SAFE_INTEGER || fractionDigits > MOST_FRACTION_DIGITS)
    return Number(bytes.toString("latin1", start, end));
  const number = digits / (POWERS_OF_TEN[fractionDigits] ?? 1);
  return first > start ? -number : number;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte < ZERO + 10;
}

/** How many texts are kept: a power of two. */
const KEPT = 256;
/** In bytes: longer texts hardly ever repeat. */
const LONGEST = 64;

/**
 * Strings for texts that come again and again, such as roles, models and names of tools: each is made once and then
 * recognised by its bytes, which takes a third of the time of making it and leaves nothing to be collected.
 */
export class RepeatedTexts {
  /** By slot: the last text whose bytes led there. */
  readonly #kept: string[] = new Array(KEPT).fill("");

  at(tape: Tape, place: number): string {
    const line = tape.line;
    const start = tape.startAt(place);
    const length = tape.endAt(place) - start;
    if (length > LONGEST || tape.typeAt(place) !== ValueType.text) return tape.textAt(place);
    const slot = slotOf(line, start, length);
    const kept = this.#kept[slot] ?? "";
    if (stands(kept, line, start, length)) return kept;
    const text = tape.textAt(place);
    // Only ASCII is kept: other texts have fewer characters than bytes.
    if (text.length === length) this.#kept[slot] = text;
    return text;
  }
}

/** The slot for a text, by its length and three of its bytes. */
function slotOf(line: Buffer, start: number, length: number): number {
  const first = line[start] ?? 0;
  const middle = line[start + (length >> 1)] ?? 0;
  const last = line[start + length - 1] ?? 0;
  return (length * 7 + first * 31 + middle * 5 + last * 17) & (KEPT - 1);
}

/** Whether the bytes, which have no escapes, are those of a text. Invalid ones, which became U+FFFD, never are. */
function stands(text: string, line: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at++) if (text.charCodeAt(at) !== line[start + at]) return false;
  return true;
}

export type Value = JsonValue | undefined;

/** Stand for lists and objects whose contents are not needed. */
const SOME_LIST: JsonValue[] = [];
const SOME_OBJECT: JsonObject = {};
Object.freeze(SOME_LIST);
Object.freeze(SOME_OBJECT);

const REPEATED = new RepeatedTexts();
/** Kept apart, because ids would drive out all other texts. */
const IDS = new RepeatedTexts();

/** The value at a place, of which 0 stands for a field that is not there; a list or an object without what it holds. */
export function valueAt(tape: Tape, place = 0): Value {
  switch (place === 0 ? 0 : tape.typeAt(place)) {
    case ValueType.text:
    case ValueType.escaped:
    case ValueType.numbered:
      return tape.textAt(place);
    case ValueType.number:
      return numberAt(tape.line, tape.startAt(place), tape.endAt(place));
    case ValueType.true:
      return true;
    case ValueType.false:
      return false;
    case ValueType.null:
      return null;
    case ValueType.list:
      return SOME_LIST;
    case ValueType.object:
      return SOME_OBJECT;
    default:
      return undefined;
  }
}

/** `valueAt`, but a text that comes again and again is made once. */
export function repeatedAt(tape: Tape, place = 0): Value {
  return tape.isTextAt(place) ? REPEATED.at(tape, place) : valueAt(tape, place);
}

/** `valueAt` for an id, which comes once more in the next entry, as its parent: then it is not made again. */
export function idAt(tape: Tape, place = 0): Value {
  return tape.isTextAt(place) ? IDS.at(tape, place) : valueAt(tape, place);
}

/** `valueAt`, but a time is given in Unix ms. */
export function timeAt(tape: Tape, place = 0): Value {
  if (!tape.isTextAt(place)) return valueAt(tape, place);
  return isoTimeAt(tape.line, tape.startAt(place), tape.endAt(place)) ?? valueAt(tape, place);
}

/** `valueAt`, but a text that is too long to be kept is cut to a beginning that is too long, too. */
export function keptAt(tape: Tape, place = 0): Value {
  return tape.isTextAt(place) ? longTextAt(tape, place) : valueAt(tape, place);
}

/** `valueAt`, but a long text is cut to a beginning that has the same preview. */
export function shownAt(tape: Tape, place = 0): Value {
  return tape.isTextAt(place) ? beginningAt(tape, place) : valueAt(tape, place);
}
