import type { Sums, UsageNumbers } from "../../format/usage.ts";

/** The numbers of one place that holds usage that are added up. */
export type Spent = Pick<
  UsageNumbers,
  "input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens" | "cost"
>;

export function zeroSums(): Sums {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0, requests: 0 };
}

/**
 * Adds one place that holds usage. Always in file order, one by one: floating-point sums then come out bit
 * for bit the same whether a file was indexed in one go or in a thousand.
 */
export function addTo(sums: Sums, spent: Spent): void {
  sums.input += spent.input;
  sums.output += spent.output;
  sums.cacheRead += spent.cacheRead;
  sums.cacheWrite += spent.cacheWrite;
  sums.totalTokens += spent.totalTokens;
  sums.cost += spent.cost;
  sums.requests += 1;
}

/**
 * When usage was spent, Unix ms: that of an entry without a time when its session was created. `usage-source.ts` says the
 * same in SQL.
 */
export function spentAt(timestamp: number | null, createdAt: number | null): number {
  return timestamp ?? createdAt ?? 0;
}
