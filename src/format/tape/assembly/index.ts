/*
 * Where the values of a line of JSON stand. In AssemblyScript: TypeScript's syntax, WebAssembly's numbers (`u32`; `usize`
 * for places in memory), and `load` and `store` for what stands there. `../tape.ts` is what the rest of the program
 * sees of it.
 */
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SMALL_F,
  SMALL_N,
  SMALL_T,
  SPACE,
} from "./characters.ts";
import { numberEnd } from "./numbers.ts";
import {
  add,
  begin,
  CELL_COUNT,
  CELLS,
  clear,
  close,
  FALSE,
  isFull,
  LIST,
  NULL,
  NUMBER,
  OBJECT,
  offsetOf,
  TRUE,
  WINDOW,
  WINDOW_BYTES,
  within,
} from "./tape.ts";
import { textEnd } from "./texts.ts";

/** Where the window and the tape are, and how many bytes and numbers they have. */
export { CELL_COUNT as cellCount, CELLS as cells, WINDOW as window, WINDOW_BYTES as windowBytes };

/** How deep values may be nested. */
const DEEPEST: u32 = 200;

/** The words of JSON as numbers, the first letter lowest. */
const TRUE_WORD: u32 = 0x65757274;
const ALSE_WORD: u32 = 0x65736c61;
const NULL_WORD: u32 = 0x6c6c756e;

/**
 * Whether a line of so many bytes, the first of which are in the window, is an object and was understood: then its values
 * are on the tape.
 */
export function scan(length: u32): bool {
  clear();
  begin(length);
  if (load<u8>(WINDOW) !== OPEN_OBJECT) return false;
  const end = valueEnd(WINDOW, 0);
  return end !== 0 && offsetOf(end) === length;
}

/** As the functions below: takes the place where something begins, and returns where it ends; 0 if not understood. */
function valueEnd(from: usize, depth: u32): usize {
  if (isFull() || depth > DEEPEST) return 0;
  const start = within(from);
  switch (load<u8>(start)) {
    case QUOTE:
      return textEnd(start);
    case OPEN_OBJECT:
      return holderEnd(OBJECT, start, depth);
    case OPEN_LIST:
      return holderEnd(LIST, start, depth);
    case SMALL_T:
      return load<u32>(start) === TRUE_WORD ? added(TRUE, start, start + 4) : 0;
    case SMALL_F:
      return load<u32>(start + 1) === ALSE_WORD ? added(FALSE, start, start + 5) : 0;
    case SMALL_N:
      return load<u32>(start) === NULL_WORD ? added(NULL, start, start + 4) : 0;
    default:
      return added(NUMBER, start, numberEnd(start));
  }
}

/** @param kind `OBJECT` or `LIST` */
function holderEnd(kind: u32, start: usize, depth: u32): usize {
  const closing = kind === OBJECT ? CLOSE_OBJECT : CLOSE_LIST;
  const holder = add(kind, offsetOf(start), 0);
  let at = start + 1;
  if (load<u8>(at) !== closing) {
    for (; ; at = afterSpace(at + 1)) {
      if (kind === OBJECT) at = nameEnd(at);
      if (at !== 0) at = valueEnd(at, depth + 1);
      if (at === 0) return 0;
      if (load<u8>(at) === closing) break;
      if (load<u8>(at) !== COMMA) return 0;
    }
  }
  close(holder);
  return at + 1;
}

/** The end of a name and the colon after it. */
function nameEnd(start: usize): usize {
  if (load<u8>(start) !== QUOTE) return 0;
  const colon = textEnd(start);
  return colon !== 0 && load<u8>(colon) === COLON ? afterSpace(colon + 1) : 0;
}

function afterSpace(at: usize): usize {
  return load<u8>(at) === SPACE ? at + 1 : at;
}

/** Adds a value, unless it has no end, and returns its end. */
function added(kind: u32, start: usize, end: usize): usize {
  if (end !== 0) add(kind, offsetOf(start), offsetOf(end));
  return end;
}
