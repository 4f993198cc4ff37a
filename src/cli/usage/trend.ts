import { USAGE_PERIODS, type UsageGrouping } from "../../query/usage/usage-shapes.ts";
import type { Context } from "../command.ts";

/** In columns: terminals from this width on have room for a trend in each row. */
const WIDE = 100;
const SLICES = 16;

/** How many slices of time the trend of each row has; rows that are periods have a bar only. */
export function trendSlices({ out }: Context, by: UsageGrouping): number {
  return !isByPeriod(by) && (out.width ?? 0) >= WIDE ? SLICES : 1;
}

/** Whether the rows of a report are periods. */
function isByPeriod(by: UsageGrouping): boolean {
  return USAGE_PERIODS.some((period) => period === by);
}
