import { addToList, clearLists, hasListRoom } from "./lists.ts";
import { EARLIER, MET, MOST_POSITIONS, POSITIONS_END } from "./memory.ts";
import { clearTerms, forgetSince, NEWEST, NOWHERE, termCount, termOf } from "./terms.ts";
import { putVarint } from "./varint.ts";

/** FTS5 adds so much to the position of a word, and to the difference between two, to write it. */
const ADDED = 2;

/** What `finishEntry` returns for an entry that has no room. */
const NO_ROOM: i32 = -1;

let positions: u32 = 0;
let metCount: u32 = 0;
let hasRoom: bool = true;
/** How many terms there were when the present entry began. */
let termsBefore: u32 = 0;

/** A single position is written there. */
const ONE: usize = memory.data(8, 8);

/** The next word of the present entry, by the number of its term; 0 for one that has no room. */
export function meet(number: u32): void {
  if (number === 0 || positions === MOST_POSITIONS) {
    hasRoom = false;
    return;
  }
  const term = termOf(number);
  const before = load<i32>(term, NEWEST);
  if (before === NOWHERE) store<u32>(MET + 4 * metCount++, <u32>term);
  store<i32>(EARLIER + 4 * positions, before);
  store<i32>(term, positions++, NEWEST);
}

/** Writes what the present entry holds, or nothing of it where there is no room. Returns how many words, or `NO_ROOM`. */
export function finishEntry(key: u32): i32 {
  const isWritten = hasRoom && hasListRoom(metCount, positions);
  for (let at: u32 = 0; at < metCount; at++) {
    const term: usize = load<u32>(MET + 4 * at);
    const newest = load<i32>(term, NEWEST);
    store<i32>(term, NOWHERE, NEWEST);
    if (isWritten) write(term, key, newest);
  }
  if (!isWritten) forgetSince(termsBefore);
  termsBefore = termCount();
  const words = <i32>positions;
  positions = 0;
  metCount = 0;
  hasRoom = true;
  return isWritten ? words : NO_ROOM;
}

function write(term: usize, key: u32, newest: i32): void {
  // Most words stand in an entry once.
  if (load<i32>(EARLIER + 4 * newest) === NOWHERE) {
    addToList(term, key, ONE, <u32>(putVarint(ONE, newest + ADDED) - ONE));
    return;
  }
  const from = putTogether(newest);
  addToList(term, key, from, <u32>(POSITIONS_END - from));
}

/** Positions are known from the last to the first, and are written from the first to the last. Returns where they begin. */
function putTogether(newest: i32): usize {
  let from = POSITIONS_END;
  for (let position = newest; position !== NOWHERE; ) {
    const before = load<i32>(EARLIER + 4 * position);
    const size = putVarint(ONE, (before === NOWHERE ? position : position - before) + ADDED) - ONE;
    from -= size;
    for (let each: usize = 0; each < size; each++) store<u8>(from + each, load<u8>(ONE + each));
    position = before;
  }
  return from;
}

export function clearEntries(): void {
  clearTerms();
  clearLists();
  termsBefore = 0;
}
