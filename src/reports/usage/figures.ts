import type { PricedSums, Sums } from "../../format/usage.ts";
import type { UsageFigures } from "./usage-shapes.ts";

/** Sums of one model's requests. */
export interface ModelSums extends PricedSums {
  provider: string;
  model: string;
  /** Put together once, because it is asked for often. */
  pricedAs: string;
}

/** Provider and model as one name, by which prices are kept. */
export function pricedAs(provider: string, model: string): string {
  return `${provider}\n${model}`;
}

/** US dollars a token of plain input, by provider and model; only those that state one. */
export type Prices = ReadonlyMap<string, number>;

export function addUp(rows: readonly Sums[]): Sums {
  // Added in variables: V8 allocates memory each time that a field gets a number too large for a small integer.
  let [input, output, cacheRead, cacheWrite, totalTokens, cost, requests] = [0, 0, 0, 0, 0, 0, 0];
  for (const row of rows) {
    input += row.input;
    output += row.output;
    cacheRead += row.cacheRead;
    cacheWrite += row.cacheWrite;
    totalTokens += row.totalTokens;
    cost += row.cost;
    requests += row.requests;
  }
  return { input, output, cacheRead, cacheWrite, totalTokens, cost, requests };
}

/** Sums of several models' requests and what follows from them. */
export function figuresOf(rows: readonly ModelSums[], prices: Prices): UsageFigures {
  const sums = addUp(rows);
  const allInput = sums.input + sums.cacheRead + sums.cacheWrite;
  let [unpriced, costFromProvider, timedRequests, timedOutput, durationMs] = [0, 0, 0, 0, 0];
  for (const row of rows) {
    unpriced += row.unpriced;
    costFromProvider += row.costFromProvider;
    timedRequests += row.timedRequests;
    timedOutput += row.timedOutput;
    durationMs += row.durationMs;
  }
  return {
    ...sums,
    unpriced,
    costFromProvider,
    cacheHitRate: allInput > 0 ? sums.cacheRead / allInput : null,
    cacheSavings: savingsOf(rows, prices),
    averageMs: timedRequests > 0 ? durationMs / timedRequests : null,
    tokensPerSecond: durationMs > 0 ? (timedOutput * 1000) / durationMs : null,
  };
}

/** What the files themselves say a token of input costs: no price list is asked. */
export function pricesIn(rows: readonly ModelSums[]): Prices {
  const stated = new Map<string, { cost: number; tokens: number }>();
  for (const row of rows) {
    if (row.pricedInput === 0 && row.costInput === 0) continue;
    const sofar = stated.get(row.pricedAs);
    if (sofar === undefined) {
      stated.set(row.pricedAs, { cost: row.costInput, tokens: row.pricedInput });
      continue;
    }
    sofar.cost += row.costInput;
    sofar.tokens += row.pricedInput;
  }
  // Only here, where all rows of a model are together: which row lacks a price depends on how the report is grouped.
  const priced = [...stated].filter(([, { tokens }]) => tokens > 0);
  return new Map(priced.map(([name, { cost, tokens }]) => [name, cost / tokens]));
}

function savingsOf(rows: readonly ModelSums[], prices: Prices): number | null {
  let savings: number | null = null;
  for (const row of rows) {
    const price = prices.get(row.pricedAs);
    if (price === undefined) continue;
    savings = (savings ?? 0) + row.pricedCache * price - row.costCacheRead - row.costCacheWrite;
  }
  return savings;
}
