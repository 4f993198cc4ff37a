import { firstOf } from "./bytes.ts";
import { LONGEST_WORD, MOST_TERMS, PLACES, REST_BYTES, RESTS, TABLE, TERM_BYTES, TERMS } from "./memory.ts";

/*
 * A term is a word that was met, with the list of the entries it was met in. Its record begins with the first twelve
 * bytes of the word, zeros after its end. Most words have no more, and take three operations to look up or compare.
 */

/** Bytes of a word that stand in its record. */
export const SHORT: u32 = 12;
/** Places in a record. Bytes, of all of the word. */
export const LENGTH: usize = 12;
/** Where the word goes on. */
export const REST: usize = 16;
/** Its last position in the present entry; `NOWHERE` when it has none there. */
export const NEWEST: usize = 20;
/** The first and the last entry it was met in, by the difference from the first key of the run. */
export const FIRST_KEY: usize = 24;
export const LAST_KEY: usize = 28;
/** Where the next bytes of its list belong, and where the room for them ends. */
export const AT: usize = 32;
export const LIMIT: usize = 36;
/** The first slice of memory in which the list is continued, and the last one; 0 while it has room here. */
export const FIRST_SLICE: usize = 40;
export const LAST_SLICE: usize = 44;
/** The beginning of the list takes what is left of the record: most words are met in one entry. */
export const LIST: usize = 48;

export const NOWHERE: i32 = -1;

/** What makes small letters of ASCII capitals, and leaves digits as they are. */
const SMALL: u32 = 0x20202020;

let count: u32 = 0;
let restEnd: usize = RESTS;

export function termCount(): u32 {
  return count;
}

export function restBytes(): usize {
  return restEnd - RESTS;
}

export function clearTerms(): void {
  memory.fill(TABLE, 0, 2 * PLACES);
  count = 0;
  restEnd = RESTS;
}

export function termOf(number: u32): usize {
  return TERMS + <usize>TERM_BYTES * number;
}

/**
 * The number of the term for a word, a new one where it was not met before; 0 where there is no room for it.
 *
 * @param eight its first eight bytes, as a number with the first byte lowest, and zeros after its end
 * @param four those after them
 * @param from where it stands
 * @param small what makes its letters small ones: `SMALL`, or 0 where they are what they become
 */
function find(eight: u64, four: u32, from: usize, length: u32, small: u32): u32 {
  const more: u32 = length > SHORT ? sumUp(from, length, small) : 0;
  let place = placeOf(<u32>eight, <u32>(eight >> 32), four, length ^ more);
  let number = <u32>load<u16>(TABLE + 2 * place);
  while (number !== 0) {
    const term = termOf(number);
    if (
      load<u64>(term) === eight &&
      load<u32>(term, 8) === four &&
      load<u32>(term, LENGTH) === length &&
      (length <= SHORT || hasRest(term, from, length, small))
    ) {
      return number;
    }
    // A term whose place is taken goes to the next one.
    place = (place + 1) & (PLACES - 1);
    number = load<u16>(TABLE + 2 * place);
  }
  return add(eight, four, from, length, small, place);
}

/** Of an ASCII word that stands in a text. */
export function findAscii(eight: u64, four: u32, from: usize, length: u32): u32 {
  return find(eight, four, from, length, SMALL);
}

/** Of a word whose letters are what they become. */
export function findWhole(from: usize, length: u32): u32 {
  const eight = load<u64>(from) & (length >= 8 ? ~(<u64>0) : ((<u64>1) << (8 * length)) - 1);
  const four = length <= 8 ? 0 : firstOf(load<u32>(from, 8), length - 8);
  return find(eight, four, from, length, 0);
}

/** A place that mostly differs when words do: a difference in any bit is spread over the lower ones. */
function placeOf(first: u32, second: u32, third: u32, more: u32): usize {
  let sum = (first * 0x9e3779b1) ^ (second * 0x85ebca77) ^ (third * 0xc2b2ae3d) ^ more;
  sum = (sum ^ (sum >> 15)) * 0x2c1b3c6d;
  return (sum ^ (sum >> 13)) & (PLACES - 1);
}

/** What is beyond the first twelve bytes of a word, summed up. */
function sumUp(from: usize, length: u32, small: u32): u32 {
  let sum: u32 = 0;
  for (let done = SHORT; done < length; done += 4) {
    sum = sum * 31 + firstOf(load<u32>(from + done) | small, length - done);
  }
  return sum;
}

/** Whether a term is the same as a word of its length beyond the first twelve bytes. */
function hasRest(term: usize, from: usize, length: u32, small: u32): bool {
  let own: usize = load<u32>(term, REST);
  for (let done = SHORT; done < length; done += 4, own += 4) {
    if (load<u32>(own) !== firstOf(load<u32>(from + done) | small, length - done)) return false;
  }
  return true;
}

function add(eight: u64, four: u32, from: usize, length: u32, small: u32, place: usize): u32 {
  if (count === MOST_TERMS || restEnd + LONGEST_WORD > RESTS + REST_BYTES) return 0;
  const number = ++count;
  const term = termOf(number);
  store<u16>(TABLE + 2 * place, number);
  store<u64>(term, eight);
  store<u32>(term, four, 8);
  store<u32>(term, length, LENGTH);
  store<u32>(term, restEnd, REST);
  for (let done = SHORT; done < length; done += 4, restEnd += 4) {
    store<u32>(restEnd, firstOf(load<u32>(from + done) | small, length - done));
  }
  store<i32>(term, NOWHERE, NEWEST);
  store<u32>(term, term + LIST, AT);
  store<u32>(term, term + TERM_BYTES, LIMIT);
  store<u32>(term, 0, FIRST_SLICE);
  store<u32>(term, 0, LAST_SLICE);
  return number;
}

/** Forgets the terms that were added since there were so many. */
export function forgetSince(before: u32): void {
  for (; count > before; count--) {
    const term = termOf(count);
    const length = load<u32>(term, LENGTH);
    const more: u32 = length > SHORT ? sumUp(load<u32>(term, REST) - SHORT, length, 0) : 0;
    let place = placeOf(load<u32>(term), load<u32>(term, 4), load<u32>(term, 8), length ^ more);
    while (load<u16>(TABLE + 2 * place) !== count) place = (place + 1) & (PLACES - 1);
    // No other term has been kept from this place since: it is the last one that is left.
    store<u16>(TABLE + 2 * place, 0);
    restEnd = load<u32>(term, REST);
  }
}
