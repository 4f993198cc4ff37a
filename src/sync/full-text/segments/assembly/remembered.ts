import { firstOf } from "./bytes.ts";
import { KEPT, KEPT_BYTES, REMEMBERED, REMEMBERED_PLACES } from "./memory.ts";

/*
 * Words that may hold a compound name. Of a hundred such words all but one or two were looked at before. To recognise
 * those takes a fifth of the time of looking at them again.
 */

/** Bytes of the longest word that is remembered: hardly any that holds a name is longer. */
const LONGEST: usize = 64;

const FACTOR: u32 = 0x9e3779b1;

/** Bytes before a word: its length. */
const HEADER: usize = 4;

let keptEnd: usize = KEPT;

export function forgetWords(): void {
  memory.fill(REMEMBERED, 0, 4 * REMEMBERED_PLACES);
  keptEnd = KEPT;
}

/** Whether a word was met before; from now on it was, unless it is too long. */
export function isRemembered(from: usize, to: usize): bool {
  const length = to - from;
  if (length > LONGEST) return false;
  let sum = <u32>length;
  for (let at = from; at < to; at += 4) {
    sum = (sum ^ firstOf(load<u32>(at), <u32>(to - at))) * FACTOR;
    sum ^= sum >> 15;
  }
  const place = REMEMBERED + 4 * (sum & (REMEMBERED_PLACES - 1));
  const kept: usize = load<u32>(place);
  if (kept !== 0 && isKept(kept, from, length)) return true;
  store<u32>(place, keep(from, length));
  return false;
}

function isKept(kept: usize, from: usize, length: usize): bool {
  return load<u32>(kept) === <u32>length && memory.compare(kept + HEADER, from, length) === 0;
}

/** Returns where it is kept. */
function keep(from: usize, length: usize): usize {
  if (keptEnd + HEADER + LONGEST > KEPT + KEPT_BYTES) forgetWords();
  const kept = keptEnd;
  store<u32>(kept, <u32>length);
  memory.copy(kept + HEADER, from, length);
  keptEnd += HEADER + length;
  return kept;
}
