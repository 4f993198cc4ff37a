import type { UsageFigures } from "../../query/usage/usage-shapes.ts";
import { formatMoney } from "../../text/numbers.ts";

export type Cost = Pick<UsageFigures, "cost" | "unpriced">;

/** What requests cost. Those with tokens but without a cost were not free: their price is not known. */
export function formatCost({ cost, unpriced }: Cost): string {
  return cost === 0 && unpriced > 0 ? "not priced" : formatMoney(cost);
}
