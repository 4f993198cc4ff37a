import { CELL_COUNT, CELLS, VALUE_BYTES } from "./memory.ts";

/** What a value is, as `KIND` of `line-tape.ts` says. */
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
