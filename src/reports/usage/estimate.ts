import { groupedBy } from "../../runtime/collections.ts";
import type { FoundSums } from "./aggregate.ts";
import type { ModelPrices } from "./model-prices.ts";
import type { Estimate, UnknownModel } from "./usage-shapes.ts";

/** What those of the requests would have cost that state tokens and no cost. */
export function estimateOf(rows: readonly FoundSums[], prices: ModelPrices): Estimate {
  const estimate = { estimatedCost: 0, estimatedRequests: 0 };
  for (const row of rows) {
    const cost = costOf(row, prices);
    if (cost === null) continue;
    estimate.estimatedCost += cost;
    estimate.estimatedRequests += row.requests;
  }
  return estimate;
}

/** Models of which some requests have no price at all, those with the most tokens first. */
export function unknownModelsIn(rows: readonly FoundSums[], prices: ModelPrices): UnknownModel[] {
  const unknown = rows.filter((row) => row.unpriced > 0 && costOf(row, prices) === null);
  const models = [...groupedBy(unknown, ({ pricedAs }) => pricedAs).values()].map((same) => ({
    provider: same[0]?.provider ?? "",
    model: same[0]?.model ?? "",
    requests: same.reduce((sum, { requests }) => sum + requests, 0),
    totalTokens: same.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
  }));
  return models.sort((a, b) => b.totalTokens - a.totalTokens);
}

/** Null where the requests state their cost, and where the list has none. */
function costOf(row: FoundSums, prices: ModelPrices): number | null {
  if (row.above === null) return null;
  return prices.costOf(row.provider, row.model, { ...row, above: row.above });
}
