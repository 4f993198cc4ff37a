import { copy } from "./host.ts";

/* Laid out once, whatever lines there are. */

/** So many bytes beyond the end of a window are read. */
const READ_BEYOND = 16;

/** A line is looked at through a window of so many bytes: most lines fit in, of a longer one it holds a part. */
export const WINDOW_BYTES = 1 << 18;
export const WINDOW: usize = memory.data(WINDOW_BYTES + READ_BEYOND, 16);

/** How many values a line may have, counting names of fields. */
const MOST_VALUES = 1 << 16;
/** A value takes three numbers: its kind, where it begins, and where it ends. */
export const VALUE_BYTES = 12;
/** The tape. */
export const CELLS: usize = memory.data(VALUE_BYTES * MOST_VALUES, 16);
export const CELL_COUNT = 3 * MOST_VALUES;

/** What a value is, as `ValueType` of `tape.ts` says. */
export const TEXT = 1;
export const ESCAPED = 2;
export const NUMBERED = 3;
export const NUMBER = 4;
export const TRUE = 5;
export const FALSE = 6;
export const NULL = 7;
export const LIST = 8;
export const OBJECT = 9;

/** How much of the tape has to be free where a value begins: its own room, and that of the name of a field within it. */
const ROOM = 2 * VALUE_BYTES;

let end: usize = CELLS;

export function clear(): void {
  end = CELLS;
}

export function isFull(): bool {
  return end + ROOM > CELLS + 4 * CELL_COUNT;
}

/** Adds a value that stands between two bytes of the line. Returns where it is on the tape. */
export function add(kind: u32, from: u32, to: u32): usize {
  const value = end;
  store<u32>(value, kind);
  store<u32>(value, from, 4);
  store<u32>(value, to, 8);
  end = value + VALUE_BYTES;
  return value;
}

/** Ends a list or an object: whatever was added since lies within it. */
export function close(value: usize): void {
  store<u32>(value, (end - CELLS) >> 2, 8);
}

/**
 * So much of the line is in the window after each place that `within` gives. That is enough for any token but a text, of
 * which each part is asked for; one that is longer is not understood.
 */
const MARGIN = 1024;

/** Bytes of the line. */
let length: u32 = 0;
/** The first of them that is in the window. */
let first: u32 = 0;
/** Where they end. A zero stands there, and nothing goes on beyond one. */
let windowEnd: usize = WINDOW;
/** From here on the window has to be moved. */
let fence: usize = 0;

/** Begins with a line of so many bytes; those of them that find room are there. */
export function begin(bytes: u32): void {
  length = bytes;
  first = 0;
  endAfter(min(length, WINDOW_BYTES));
}

function endAfter(bytes: u32): void {
  windowEnd = WINDOW + bytes;
  store<u8>(windowEnd, 0);
  fence = first + bytes === length ? usize.MAX_VALUE : windowEnd - MARGIN;
}

/** A place in the window, moved with it where too little of the line comes after it. */
export function within(at: usize): usize {
  return at < fence ? at : moved(at);
}

function moved(at: usize): usize {
  const kept = <u32>(windowEnd - at);
  memory.copy(WINDOW, at, kept);
  first += <u32>(at - WINDOW);
  const added = min(length - first, WINDOW_BYTES) - kept;
  copy(first + kept, WINDOW + kept, added);
  endAfter(kept + added);
  return WINDOW;
}

/** Which byte of the line stands at a place. */
export function offsetOf(at: usize): u32 {
  return first + <u32>(at - WINDOW);
}
