import type { Weekday } from "../../time/calendar.ts";

/** What a limit is for; `total` is everything there is. */
export const BUDGET_PERIODS = ["day", "week", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** What may be spent: it counts what meets all of its keys, and has a limit for each period that is named. */
export interface Budget {
  /** Of no other budget. */
  name: string;
  /** An absolute directory: that project by all its names, as `project` of a filter. */
  project?: string;
  /** A part of the model's name, case ignored. */
  model?: string;
  /** The provider's exact name; one that pi has renamed is known by both. */
  provider?: string;
  /** US dollars. */
  day?: number;
  week?: number;
  month?: number;
  total?: number;
  /** From which part of a limit on it warns, above 0 and at most 1; 0.8 unless told. */
  warn?: number;
}

export interface BudgetOptions {
  budgets: readonly Budget[];
  /** IANA name; periods begin at its midnights. */
  timezone: string;
  /** The day weeks begin with; Monday unless told. */
  weekStart?: Weekday;
  /** Unix ms: it says which periods are the present ones. */
  now: number;
  /** Only what lies below these folders. */
  roots?: string[];
  /** Whether to say how fast money goes, which looks at some months more. */
  withPace?: boolean;
}

/** From the worst on. */
export const BUDGET_STATES = ["over", "warns", "within"] as const;
/** `over` is more than the limit, `warns` at least the part of it from which it warns. */
export type BudgetState = (typeof BUDGET_STATES)[number];

/** One limit of a budget, and what has been spent of it. */
export interface BudgetLimit extends Pick<Budget, "name" | "project" | "model" | "provider"> {
  period: BudgetPeriod;
  /** The first and the last day of the period (`2026-11-30`), both included; null where it is `total`. */
  since: string | null;
  until: string | null;
  /** US dollars. */
  limit: number;
  /** From how many US dollars on it warns. */
  warnAt: number;
  spent: number;
  /** Requests that state tokens and no cost: what they cost is not in `spent`. */
  unpriced: number;
  state: BudgetState;
  /** Where it was asked for; null for a limit in all. */
  pace?: Pace | null;
}

/** How fast money goes, beside how fast it went. */
export interface Pace {
  /**
   * US dollars that were spent, on average, by the same point of the last four whole periods, or of those of them in which
   * something was spent; null where there is none.
   */
  usual: number | null;
  /** Of how many periods that is the average. */
  periods: number;
  /** Between which amounts the whole period will end four times of five; null without two weeks of data. */
  forecast: { low: number; high: number } | null;
}

export interface BudgetReport {
  timezone: string;
  /** The worst of all limits; `within` where there are none. */
  state: BudgetState;
  limits: BudgetLimit[];
  /** The names of budgets whose project has no session in the index. */
  withoutSessions: string[];
}
