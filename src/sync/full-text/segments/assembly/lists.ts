import { SLICE_BYTES, SLICES } from "./memory.ts";
import { AT, FIRST_KEY, FIRST_SLICE, LAST_KEY, LAST_SLICE, LIMIT, LIST } from "./terms.ts";
import { putVarint } from "./varint.ts";

/*
 * The lists of the entries that terms were met in, as FTS5 writes them, but without the key of the first entry. All keys
 * are differences from the first one of the run.
 */

/** Bytes at the beginning of each slice: two numbers, which slice follows, and where the list ends in the one before. */
const HEADER: u32 = 8;

/** Each slice of a list is twice as large as the one before it, up to the largest. Bytes, headers included. */
const SMALLEST: u32 = 24;
const LARGEST: u32 = 768;

/** What the key of an entry and the size of its positions take at most. Bytes. */
const KEY_AND_SIZE: u32 = 10;
/** What a single position takes at most. Bytes. */
const POSITION: u32 = 4;

let slicesEnd: usize = SLICES;

/** Bytes of slices that were taken. */
export function sliceBytes(): usize {
  return slicesEnd - SLICES;
}

/** Whether there is room for an entry, if so many terms have so many positions in it. */
export function hasListRoom(terms: u32, positions: u32): bool {
  const most = <usize>terms * (LARGEST + 2 * (KEY_AND_SIZE + HEADER)) + 2 * POSITION * positions;
  return most + sliceBytes() <= <usize>SLICE_BYTES;
}

export function clearLists(): void {
  slicesEnd = SLICES;
}

/** Adds an entry to a list. @param positions as FTS5 writes them */
export function addToList(term: usize, key: u32, positions: usize, size: u32): void {
  const before = load<u32>(term, AT);
  const hasRoom = load<u32>(term, LIMIT) - before >= size + KEY_AND_SIZE;
  let at: usize = hasRoom ? before : goOn(term, before, size + KEY_AND_SIZE);
  if (before === <u32>(term + LIST)) store<u32>(term, key, FIRST_KEY);
  else at = putVarint(at, key - load<u32>(term, LAST_KEY));
  store<u32>(term, key, LAST_KEY);
  at = putVarint(at, 2 * size);
  if (size > 16) memory.copy(at, positions, size);
  else for (let each: u32 = 0; each < size; each++) store<u8>(at + each, load<u8>(positions + each));
  store<u32>(term, at + size, AT);
}

/** Goes on with a list in another slice, and returns where. */
function goOn(term: usize, end: u32, room: u32): u32 {
  const last = load<u32>(term, LAST_SLICE);
  const usual = last === 0 ? SMALLEST : min(2 * (load<u32>(term, LIMIT) - last), LARGEST);
  // Whole numbers of four bytes.
  const size = max(usual, HEADER + ((room + 3) & ~(<u32>3)));
  const slice = <u32>slicesEnd;
  slicesEnd += size;
  if (last === 0) store<u32>(term, slice, FIRST_SLICE);
  else store<u32>(last, slice);
  store<u32>(term, slice, LAST_SLICE);
  store<u32>(slice, 0);
  store<u32>(slice, end, 4);
  store<u32>(term, slice + size, LIMIT);
  return slice + HEADER;
}

/** Writes the whole list of a term, and returns where it ends. */
export function copyList(term: usize, to: usize): usize {
  let end = to;
  let from = term + LIST;
  for (let slice = load<u32>(term, FIRST_SLICE); slice !== 0; slice = load<u32>(slice)) {
    end = copyPart(from, load<u32>(slice, 4), end);
    from = slice + HEADER;
  }
  return copyPart(from, load<u32>(term, AT), end);
}

function copyPart(from: usize, to: usize, into: usize): usize {
  memory.copy(into, from, to - from);
  return into + to - from;
}
