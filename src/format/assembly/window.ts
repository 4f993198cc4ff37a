import { copy } from "./host.ts";
import { WINDOW, WINDOW_BYTES } from "./memory.ts";

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
let end: usize = WINDOW;
/** From here on the window has to be moved. */
let fence: usize = 0;

/** Begins with a line of so many bytes; those of them that find room are there. */
export function begin(bytes: u32): void {
  length = bytes;
  first = 0;
  endAfter(min(length, WINDOW_BYTES));
}

function endAfter(bytes: u32): void {
  end = WINDOW + bytes;
  store<u8>(end, 0);
  fence = first + bytes === length ? usize.MAX_VALUE : end - MARGIN;
}

/** A place in the window, moved with it where too little of the line comes after it. */
export function within(at: usize): usize {
  return at < fence ? at : moved(at);
}

function moved(at: usize): usize {
  const kept = <u32>(end - at);
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
