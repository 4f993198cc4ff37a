import { ORDER, SPARE_ORDER } from "./memory.ts";
import { LENGTH, REST, SHORT, termCount, termOf } from "./terms.ts";

/** How often each value of a byte comes, and then where the next term with it belongs. */
const COUNTS: usize = memory.data(4 * 256, 64);

/** Sorts the numbers of all terms by the bytes of their words. Returns where they stand. */
export function sortTerms(): usize {
  const count = termCount();
  let order = ORDER;
  let spare = SPARE_ORDER;
  for (let at: u32 = 0; at < count; at++) store<u16>(order + 2 * at, at + 1);
  for (let byte: usize = SHORT; byte-- > 0; ) {
    sortByByte(byte, count, order, spare);
    const sorted = spare;
    spare = order;
    order = sorted;
  }
  sortAlikes(count, order, spare);
  return order;
}

/** A stable sort: terms in which this byte is equal stay in their order. */
function sortByByte(byte: usize, count: u32, order: usize, into: usize): void {
  memory.fill(COUNTS, 0, 4 * 256);
  for (let at: u32 = 0; at < count; at++) {
    const place = COUNTS + 4 * <usize>load<u8>(termAt(order, at) + byte);
    store<u32>(place, load<u32>(place) + 1);
  }
  let sum: u32 = 0;
  for (let value: usize = 0; value < 256; value++) {
    const some = load<u32>(COUNTS + 4 * value);
    store<u32>(COUNTS + 4 * value, sum);
    sum += some;
  }
  for (let at: u32 = 0; at < count; at++) {
    const place = COUNTS + 4 * <usize>load<u8>(termAt(order, at) + byte);
    const next = load<u32>(place);
    store<u32>(place, next + 1);
    store<u16>(into + 2 * next, load<u16>(order + 2 * at));
  }
}

function termAt(order: usize, at: u32): usize {
  return termOf(load<u16>(order + 2 * at));
}

/** Sorts the stretches of terms whose first twelve bytes are equal. */
function sortAlikes(count: u32, order: usize, spare: usize): void {
  for (let from: u32 = 0, to: u32 = 1; from < count; from = to++) {
    const first = termAt(order, from);
    if (load<u32>(first, LENGTH) < SHORT) continue;
    while (to < count && areAlike(first, termAt(order, to))) to++;
    if (to - from > 1) mergeSort(order, spare, from, to);
  }
}

function areAlike(one: usize, other: usize): bool {
  return load<u64>(one) === load<u64>(other) && load<u32>(one, 8) === load<u32>(other, 8);
}

function mergeSort(order: usize, spare: usize, from: u32, to: u32): void {
  if (to - from < 2) return;
  const middle = from + (to - from) / 2;
  mergeSort(order, spare, from, middle);
  mergeSort(order, spare, middle, to);
  memory.copy(spare + 2 * from, order + 2 * from, 2 * (to - from));
  let one = from;
  let other = middle;
  for (let at = from; at < to; at++) {
    const isOne = other === to || (one < middle && comesFirst(termAt(spare, one), termAt(spare, other)));
    store<u16>(order + 2 * at, load<u16>(spare + 2 * (isOne ? one++ : other++)));
  }
}

/** Of words whose first twelve bytes are equal. */
function comesFirst(one: usize, other: usize): bool {
  const ones: usize = load<u32>(one, REST);
  const others: usize = load<u32>(other, REST);
  const both = min(load<u32>(one, LENGTH), load<u32>(other, LENGTH));
  for (let at: usize = 0; at + SHORT < both; at++) {
    const a = load<u8>(ones + at);
    const b = load<u8>(others + at);
    if (a !== b) return a < b;
  }
  return load<u32>(one, LENGTH) < load<u32>(other, LENGTH);
}
