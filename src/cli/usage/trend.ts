import { USAGE_PERIODS, type UsageGrouping } from "../../query/results.ts";
import type { Context } from "../command.ts";

/** Terminals from this width on have room for a trend in each row. */
const WIDE = 100;
const SLICES = 16;

/** Whether the rows of a report are times themselves. */
export function isByPeriod(by: UsageGrouping): boolean {
  return USAGE_PERIODS.some((period) => period === by);
}

/** How many slices of time each row shows; rows that are a time have a bar only. */
export function trendSlices({ out }: Context, by: UsageGrouping): number {
  return !isByPeriod(by) && (out.width ?? 0) >= WIDE ? SLICES : 1;
}
