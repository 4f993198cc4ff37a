import type { Filter } from "../../filters/filter.ts";
import { SUM_NAMES, type Sums } from "../../format/usage.ts";
import type { Weekday } from "../../time/calendar.ts";
import type { ReportBounds } from "./bounds.ts";
import type { ModelPrices, PriceList } from "./model-prices.ts";

/** What rows can be sorted by. */
export const USAGE_SORT_KEYS = ["key", ...SUM_NAMES] as const;

export interface UsageOptions {
  by: UsageGrouping;
  /** IANA name; days begin at its midnights. */
  timezone: string;
  /** The day weeks begin with; Monday unless told. */
  weekStart?: Weekday;
  filter?: Filter;
  roots?: string[];
  /**
   * How many rows at most: of periods the newest, unless they are sorted otherwise; 0 or nothing: all. Totals are over all
   * rows whatever the limit.
   */
  limit?: number;
  sort?: { key: (typeof USAGE_SORT_KEYS)[number]; descending: boolean };
  /** By session: each for itself. Else a session's row holds its sub-agents, too, unless only those are asked for. */
  own?: boolean;
  /** Every row by model too. */
  breakdown?: boolean;
  /** The first and the last request of every row too. */
  times?: boolean;
  /** Only requests that state tokens, as those that were broken off need not. */
  withTokens?: boolean;
  /** So many slices of the report's time, each with its cost, in every row. */
  trend?: number;
  /** What requests without a cost would have cost by this list, beside what was stated and never within it. */
  prices?: ModelPrices;
}

const USAGE_PERIODS = ["hourly", "daily", "weekly", "monthly"] as const;
export const USAGE_GROUPINGS = [
  ...USAGE_PERIODS,
  "session",
  "project",
  "model",
  "provider",
  "source",
  "tool",
  "agent",
  "thinking",
  "hour-of-week",
  "label",
  "branch",
] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];
/** The usage of a team can be asked by its people, too. */
export type ReportGrouping = UsageGrouping | "author";

/** Whether the rows of a report are times. */
export function isOverTime(by: ReportGrouping): boolean {
  return USAGE_PERIODS.some((period) => period === by);
}

/** What is shown of usage, wherever it was found. */
export interface ReportOptions extends Omit<UsageOptions, "by" | "roots"> {
  by: ReportGrouping;
}

/** By a price list, of requests that state tokens and no cost. */
export interface Estimate {
  /** US dollars; no part of `cost`. */
  estimatedCost: number;
  /** How many of the `unpriced` requests that is for: the list knows their models. */
  estimatedRequests: number;
}

/** A model with requests that state no cost, and that the price list does not have, or not with a price. */
export interface UnknownModel {
  provider: string;
  model: string;
  requests: number;
  totalTokens: number;
}

/** Sums, and what follows from them. */
export interface UsageFigures extends Sums {
  /** Requests that state tokens and no cost: they are not free, nobody knows their price. */
  unpriced: number;
  /** US dollars, the part of `cost` that the providers themselves have stated; the rest was worked out from prices. */
  costFromProvider: number;
  /** The share of all input that was read from the prompt cache, 0 to 1; null without input. */
  cacheHitRate: number | null;
  /**
   * US dollars the prompt cache saved: what was read from it and written to it at the price of plain input, less
   * what reading and writing cost. The price is the one the files state (cost of input by tokens of input, model
   * by model); null where no model has one. Writing costs more than reading saves when a cache is hardly used.
   */
  cacheSavings: number | null;
  /** How long a request took, in milliseconds, of those of which that is known (pi 1.1 and newer); null without any. */
  averageMs: number | null;
  /** Tokens of output in a second, of the same requests. */
  tokensPerSecond: number | null;
}

/** The estimate only where prices were given. */
export interface UsageRow extends UsageFigures, Partial<Estimate> {
  /**
   * By grouping: a period (`2026-11-03T14:00+01:00`, `2026-11-03`, the first day of a week, `2026-11`), a session
   * id, project directory, model, provider or source; the tool whose result holds the usage; the sub-agent that spent it; how much the
   * model was asked to think; the label it stands under; `current` or `abandoned` by branch. `unknown` where the file does not say, `none` without tool, sub-agent or label.
   */
  key: string;
  /** For people: the session's title; absent where the key says it all. */
  label?: string;
  /** The session file, where the rows are sessions. */
  path?: string;
  /** The figures by model, dearest first, where a breakdown was asked for. */
  models?: UsageRow[];
  /** The first and the last request, where times were asked for; null where no request states one. */
  firstAt?: string | null;
  lastAt?: string | null;
  /** Cost in equal slices of the report's time, where a trend was asked for. */
  trend?: number[];
}

export interface UsageReport extends ReportBounds, Partial<Estimate> {
  by: ReportGrouping;
  timezone: string;
  rows: UsageRow[];
  totals: Sums;
  /** What copies in forks hold and `totals` leaves out, because it was spent once. */
  copies: Sums;
  /** Of the totals, as in a row. */
  unpriced: number;
  costFromProvider: number;
  cacheHitRate: number | null;
  cacheSavings: number | null;
  /** Where prices were given: those whose price is not known, and where the list comes from. */
  unknownModels?: UnknownModel[];
  priceList?: PriceList;
}
