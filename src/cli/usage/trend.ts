import type { UsageGrouping } from "../../query/results.ts";
import type { Context } from "../command.ts";

/** Terminals from this width on have room for a trend in each row. */
const WIDE = 100;
const SLICES = 16;

/** Reports whose rows are times themselves. */
export const PERIODS: readonly UsageGrouping[] = ["hourly", "daily", "weekly", "monthly"];

/** How many slices of time each row shows; rows that are a time have a bar only. */
export function trendSlices({ out }: Context, by: UsageGrouping): number {
  return !PERIODS.includes(by) && (out.width ?? 0) >= WIDE ? SLICES : 1;
}
