import { sumUsage as sum } from "../query/usage/usage.ts";
import {
  USAGE_GROUPINGS,
  USAGE_SORT_KEYS,
  type UsageOptions,
  type UsageReport,
} from "../query/usage/usage-options.ts";
import type { Index } from "../store/open.ts";
import { WEEKDAYS } from "../time/calendar.ts";
import { count, flag, oneOf, options as optionsOf, record, text, timezone, wholeNumber } from "./asked.ts";
import { inIndex } from "./opened.ts";
import { normalized, SCOPE } from "./scope.ts";

/** Roughly the quarters of an hour in three years: more slices would say nothing. */
const MOST_SLICES = 100_000;

const grouping = oneOf(USAGE_GROUPINGS);
const checkOptions = optionsOf({
  ...SCOPE,
  by: grouping,
  timezone: text,
  weekStart: oneOf(WEEKDAYS),
  limit: count,
  sort: record({ key: oneOf(USAGE_SORT_KEYS), descending: flag }),
  breakdown: flag,
  times: flag,
  withTokens: flag,
  trend: wholeNumber(MOST_SLICES),
});

/**
 * Tokens and US dollars by period, session, project, model or another value of `by`. Each place that holds usage is
 * counted once: copies in forks are left out of rows and totals, and given in `copies` instead.
 *
 * @throws SessionDbError `usage` for options that make no sense and an unknown time zone; `busy`, `index_corrupt`, `io`
 */
export function sumUsage(index: Index, options: UsageOptions): UsageReport {
  checkOptions("options", options);
  grouping("options.by", options.by);
  timezone("options.timezone", options.timezone);
  return inIndex(index, () => sum(index, normalized(options)));
}
