import { expect } from "vitest";
import type { CountedSums } from "../../helpers/independent-count.ts";

/** Sums as they are compared: dollars are floats, which added in another order differ in the last places. */
type ComparedSums = Record<keyof CountedSums, unknown>;

export function about(sums: CountedSums): ComparedSums {
  return { ...sums, cost: expect.closeTo(sums.cost, 9) };
}

/** Only what is added up, of a row that says more. */
function sumsOf({
  input,
  output,
  cacheRead,
  cacheWrite,
  totalTokens,
  cost,
  requests,
}: CountedSums): ComparedSums {
  return { input, output, cacheRead, cacheWrite, totalTokens, cost, requests };
}

/** In code unit order of the keys. */
export function inOrder<Row extends readonly [string, ...unknown[]]>(rows: readonly Row[]): Row[] {
  return rows.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** A report's rows, to be compared with `counted`. */
export function keyed(rows: readonly (CountedSums & { key: string })[]): [string, ComparedSums][] {
  return inOrder(rows.map((row): [string, ComparedSums] => [row.key, sumsOf(row)]));
}

/** Groups that were added up one entry at a time. */
export function counted(groups: Iterable<[string, CountedSums]>): [string, ComparedSums][] {
  return inOrder([...groups].map(([key, sums]): [string, ComparedSums] => [key, about(sums)]));
}
