import { SUM_NAMES } from "../../format/usage.ts";
import type { Weekday } from "../../weekdays.ts";
import type { Filter } from "../filter.ts";
import type { UsageGrouping } from "../results.ts";

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
  /** 0 or nothing: all. Totals are over all rows whatever the limit. */
  limit?: number;
  sort?: { key: (typeof USAGE_SORT_KEYS)[number]; descending: boolean };
  /** Every row by model too. */
  breakdown?: boolean;
  /** The first and the last request of every row too. */
  times?: boolean;
  /** Only requests that state tokens, as those that were broken off need not. */
  withTokens?: boolean;
  /** So many slices of the report's time, each with its cost, in every row. */
  trend?: number;
}
