import type { Filter } from "../../filters/filter.ts";
import type { Sums } from "../../format/usage.ts";
import type { ReportBounds } from "../usage/bounds.ts";

/** Where money goes that nobody has had anything of, in the order in which it is shown. */
export const WASTE_KINDS = ["abandoned", "cacheMisses", "compactions", "failed"] as const;
export type WasteKind = (typeof WASTE_KINDS)[number];

/**
 * What a kind is made of. Cache misses: how long the cache had been left alone, or that another model was asked. Failed
 * requests: how they ended, and whether they were asked again.
 */
export const WASTE_PARTS = {
  abandoned: [],
  cacheMisses: ["withinFiveMinutes", "afterFiveMinutes", "afterUnknownTime", "otherModel"],
  compactions: [],
  failed: ["error", "errorRetried", "aborted", "abortedRetried"],
} as const satisfies Record<WasteKind, readonly string[]>;
export type WastePartKey = (typeof WASTE_PARTS)[WasteKind][number];

export interface WasteOptions {
  /** IANA name. */
  timezone: string;
  filter?: Filter;
  roots?: string[];
  /** How many sessions to look at, at most; 0 or nothing: all. */
  limit?: number;
}

/** What requests have wasted. */
export interface Wasted {
  requests: number;
  totalTokens: number;
  /** US dollars, as far as they are known. */
  cost: number;
  /** Requests of which it is not known what that has cost. */
  unpriced: number;
}

export interface WastePart extends Wasted {
  key: WastePartKey;
}

export interface WasteRow extends Wasted {
  key: WasteKind;
  /** Of all that was spent, 0 to 1; null where that is nothing. */
  share: number | null;
  /** Only those that there are; together they are the kind. */
  parts: WastePart[];
}

/** A session of a person with its sub-agents, each request once. */
export interface WastefulSession extends Wasted {
  /** The session's id. */
  key: string;
  /** Its title. */
  label: string;
  path: string;
  kinds: Record<WasteKind, Wasted>;
}

export interface WasteReport extends ReportBounds {
  timezone: string;
  /** One for each kind. A request may be in several. */
  rows: WasteRow[];
  /** All kinds together, each request once: never more than was spent. */
  wasted: Wasted & { share: number | null };
  /** All that was spent, as `sumUsage` has it. */
  totals: Sums;
  /** The dearest first, at most `limit`. */
  sessions: WastefulSession[];
  /** How many sessions have wasted something. */
  sessionCount: number;
}
