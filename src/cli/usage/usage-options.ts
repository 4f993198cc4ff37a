import { SessionDbError } from "../../errors.ts";
import type { Filter } from "../../filters/filter.ts";
import type { ModelPrices } from "../../reports/usage/model-prices.ts";
import {
  isOverTime,
  type ReportGrouping,
  type ReportOptions,
  USAGE_SORT_KEYS,
} from "../../reports/usage/usage-shapes.ts";
import { WEEKDAYS, type Weekday } from "../../time/calendar.ts";
import { type Args, choiceOf, isSet, sortOf, textOf } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";
import { filterWorldOf } from "../command-line/filter-options.ts";
import { notTogether } from "../command-line/usage-errors.ts";
import { defaultStart } from "./usage-period.ts";

/** On the command line the sum of all tokens is called `tokens` everywhere. */
export const SORT_KEYS = USAGE_SORT_KEYS.map((key) => (key === "totalTokens" ? "tokens" : key));

/** What a report is to show. */
export function shownOptions(
  context: Context,
  args: Args,
  by: ReportGrouping,
): Omit<ReportOptions, "by" | "filter"> {
  const sort = sortOf(args, SORT_KEYS);
  const isCompat = textOf(args, "compat") !== undefined;
  return {
    weekStart: weekStartOf(context, args),
    timezone: context.config.timezone,
    breakdown: isSet(args, "breakdown") || isCompat,
    times: isCompat && by === "session",
    // ccusage has a row for each file.
    own: isCompat || isSet(args, "own"),
    // ccusage ignores requests without tokens, even where they state a cost.
    withTokens: isCompat,
    ...(!context.json && { trend: trendSlices(context, by) }),
    ...(sort && { sort: { ...sort, key: sort.key === "tokens" ? "totalTokens" : sort.key } }),
  };
}

function weekStartOf({ config }: Context, args: Args): Weekday {
  return choiceOf(args, "week-start", WEEKDAYS) ?? config.weekStart;
}

/** In columns: terminals from this width on have room for a trend in each row. */
const WIDE = 100;
const SLICES = 16;

/** How many slices of time the trend of each row has; rows that are periods have a bar only. */
function trendSlices({ out }: Context, by: ReportGrouping): number {
  return !isOverTime(by) && (out.width ?? 0) >= WIDE ? SLICES : 1;
}

/** A filter that begins where a report begins by default, unless it says another time or all is asked for. */
export function inReportTime<Given extends Pick<Filter, "since" | "until">>(
  context: Context,
  args: Args,
  by: ReportGrouping,
  filter: Given,
): Given {
  const isOpen = filter.since === undefined && filter.until === undefined;
  if (isSet(args, "all") && !isOpen) {
    throw new SessionDbError("usage", "--all cannot be used with --since or --until", {
      hint: "Leave one out.",
    });
  }
  // Scripts written for ccusage get by default what it gives: everything.
  if (isSet(args, "all") || !isOpen || textOf(args, "compat") !== undefined) return filter;
  return { ...filter, since: defaultStart(by, weekStartOf(context, args), filterWorldOf(context)) };
}

/** The price list for `--estimate`. @throws SessionDbError `usage`; `not_found` without a pi on PATH */
export async function pricesFor({ config, world }: Context, args: Args): Promise<ModelPrices> {
  if (textOf(args, "compat") !== undefined) throw notTogether("--estimate", "--compat");
  const { readModelPrices } = await import("../../api/usage-queries.ts");
  return readModelPrices({ agentDir: config.agentDir, searchPath: world.env.PATH ?? "" });
}
