import { TERM, type TermMemory } from "./term-memory.ts";
import type { TermTable } from "./term-table.ts";
import { FIRST, LENGTH, REST, restLength, SECOND, SHORT, THIRD } from "./tokens.ts";

/** Terms are sorted by eleven bits at a time, from the last of their first twelve bytes to the first. */
const SHIFTS = [0, 11, 22] as const;
const BITS = 0x7ff;

/** All terms in the order of the bytes of their words. */
export function termsInOrder(table: TermTable, { numbers }: TermMemory): Int32Array {
  let order = Int32Array.from({ length: table.count }, (_, at) => TERM * at);
  let spare = new Int32Array(order.length);
  for (const field of [THIRD, SECOND, FIRST]) {
    for (const shift of SHIFTS) {
      sortByBits(numbers, field, shift, { order, into: spare });
      [order, spare] = [spare, order];
    }
  }
  for (const [from, to] of alikes(order, numbers)) {
    order.subarray(from, to).sort((one, other) => compareRests(one, other, table.rest, numbers));
  }
  return order;
}

/** A stable sort: terms in which those bits are equal stay in their order. */
function sortByBits(
  numbers: Int32Array,
  field: number,
  shift: number,
  { order, into }: { order: Int32Array; into: Int32Array },
): void {
  const places = new Int32Array(BITS + 2);
  for (const term of order) {
    const some = ((numbers[term + field] ?? 0) >>> shift) & BITS;
    places[some + 1] = (places[some + 1] ?? 0) + 1;
  }
  for (let some = 1; some <= BITS; some++) places[some] = (places[some] ?? 0) + (places[some - 1] ?? 0);
  for (const term of order) {
    const some = ((numbers[term + field] ?? 0) >>> shift) & BITS;
    const place = places[some] ?? 0;
    places[some] = place + 1;
    into[place] = term;
  }
}

/** The stretches of terms whose first twelve bytes are equal. */
function alikes(order: Int32Array, numbers: Int32Array): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (let from = 0, to = 1; from < order.length; from = to++) {
    const first = order[from] ?? 0;
    if ((numbers[first + LENGTH] ?? 0) < SHORT) continue;
    while (to < order.length && areAlike(first, order[to] ?? 0, numbers)) to++;
    if (to - from > 1) found.push([from, to]);
  }
  return found;
}

function areAlike(one: number, other: number, numbers: Int32Array): boolean {
  for (let field = FIRST; field <= THIRD; field++) {
    if (numbers[one + field] !== numbers[other + field]) return false;
  }
  return true;
}

function compareRests(one: number, other: number, rest: Int32Array, numbers: Int32Array): number {
  const lengths = [numbers[one + LENGTH] ?? 0, numbers[other + LENGTH] ?? 0] as const;
  const [ones, others] = [numbers[one + REST] ?? 0, numbers[other + REST] ?? 0];
  const both = Math.min(restLength(lengths[0]), restLength(lengths[1]));
  for (let at = 0; at < both; at++) {
    const [a, b] = [rest[ones + at] ?? 0, rest[others + at] ?? 0];
    if (a !== b) return (a >>> 0) - (b >>> 0);
  }
  return lengths[0] - lengths[1];
}
