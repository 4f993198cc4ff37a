import { BUDGETS } from "../config/budget-settings.ts";
import { type PiPlaces, readPiCatalogue } from "../config/pi-catalogue.ts";
import type { BudgetOptions, BudgetReport } from "../reports/budgets/budget-shapes.ts";
import { readBudgets as budgets } from "../reports/budgets/read-budgets.ts";
import { ModelPrices } from "../reports/usage/model-prices.ts";
import { sumUsage as sum } from "../reports/usage/usage-report.ts";
import {
  USAGE_GROUPINGS,
  USAGE_SORT_KEYS,
  type UsageOptions,
  type UsageReport,
} from "../reports/usage/usage-shapes.ts";
import { findWaste as waste } from "../reports/waste/waste-report.ts";
import type { WasteOptions, WasteReport } from "../reports/waste/waste-shapes.ts";
import type { Index } from "../store/open.ts";
import { WEEKDAYS } from "../time/calendar.ts";
import { inIndex } from "./open-index.ts";
import {
  assertTimezone,
  check,
  count,
  directory,
  flag,
  kind,
  normalized,
  oneOf,
  options as optionsOf,
  path,
  record,
  SCOPE,
  text,
  wholeNumber,
  wholeTime,
} from "./validate.ts";

/** Roughly the quarters of an hour in three years: more slices would say nothing. */
const MOST_SLICES = 100_000;

const grouping = oneOf(USAGE_GROUPINGS);
const USAGE = optionsOf({
  ...SCOPE,
  by: grouping,
  timezone: text,
  weekStart: oneOf(WEEKDAYS),
  limit: count,
  sort: record({ key: oneOf(USAGE_SORT_KEYS), descending: flag }),
  breakdown: flag,
  own: flag,
  times: flag,
  withTokens: flag,
  trend: wholeNumber(MOST_SLICES),
  prices: kind("what readModelPrices resolves to", (value) => value instanceof ModelPrices),
});

/**
 * Tokens and US dollars by period, session, project, model or another value of `by`. Each place that holds usage is
 * counted once: copies in forks are left out of rows and totals, and given in `copies` instead.
 *
 * @throws SessionDbError `usage` for options that make no sense and an unknown time zone; `busy`, `index_corrupt`, `io`
 */
export function sumUsage(index: Index, options: UsageOptions): UsageReport {
  check("options", USAGE, options);
  check("options.by", grouping, options.by);
  check("options.timezone", text, options.timezone);
  assertTimezone(options.timezone);
  return inIndex(index, () => sum(index, normalized(options)));
}

const WASTE = optionsOf({ ...SCOPE, timezone: text, limit: count });

/**
 * What was spent in vain: on abandoned branches, for input that had been in the prompt cache, for compactions of what was
 * summed up before, and for requests that failed. `wasted` and each session have a request once, however many of the four
 * it belongs to; money is US dollars.
 *
 * @throws SessionDbError `usage` for options that make no sense and an unknown time zone; `busy`, `index_corrupt`, `io`
 */
export function findWaste(index: Index, options: WasteOptions): WasteReport {
  check("options", WASTE, options);
  check("options.timezone", text, options.timezone);
  assertTimezone(options.timezone);
  return inIndex(index, () => waste(index, normalized(options)));
}

const BUDGET_QUESTION = optionsOf({
  budgets: BUDGETS,
  timezone: text,
  weekStart: oneOf(WEEKDAYS),
  now: wholeTime,
  roots: SCOPE.roots,
  withPace: flag,
});

/**
 * What has been spent of each limit of each budget in the present day, week, month, or in all: forks' copies left out, and
 * sub-agents with their parents. `state` is the worst of all.
 *
 * @throws SessionDbError `usage` for options that make no sense and an unknown time zone; `busy`, `index_corrupt`, `io`
 */
export function readBudgets(index: Index, options: BudgetOptions): BudgetReport {
  check("options", BUDGET_QUESTION, options);
  check("options.budgets", BUDGETS, options.budgets);
  check("options.timezone", text, options.timezone);
  check("options.now", wholeTime, options.now);
  for (const [at, { project }] of options.budgets.entries())
    if (project !== undefined) check(`options.budgets[${at}].project`, directory, project);
  assertTimezone(options.timezone);
  return inIndex(index, () => budgets(index, normalized(options)));
}

const PLACES = record({ agentDir: path, searchPath: text });

/**
 * The prices of models, for `sumUsage`: those of the pi that is found on `searchPath` (as `PATH` has it), newer ones that it
 * has fetched into its agent folder, and those that the user has written into `models.json` there. No network is asked.
 *
 * @throws SessionDbError `not_found` where there is no such pi, or no list in it that is understood; `usage`
 */
export async function readModelPrices(places: PiPlaces): Promise<ModelPrices> {
  check("places", PLACES, places);
  return new ModelPrices(await readPiCatalogue(places));
}
