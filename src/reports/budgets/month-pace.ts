import type { Filter } from "../../filters/filter.ts";
import type { Index } from "../../store/open.ts";
import { inOneState } from "../../store/statements.ts";
import { dayAt, minutesOfDay } from "../../time/calendar.ts";
import type { Pace } from "./budget-shapes.ts";
import { firstDayForPace, paceIn, spentIn } from "./pace.ts";
import { daysOf } from "./periods.ts";
import { findSpending } from "./spending.ts";

export interface MonthPaceOptions {
  timezone: string;
  /** Unix ms, in the month that is meant. */
  now: number;
  roots?: string[];
  filter?: Pick<Filter, "project" | "model" | "provider">;
}

/** What was spent in a month so far, in US dollars, and its pace; null where nothing was. */
export function readMonthPace(index: Index, options: MonthPaceOptions): { spent: number; pace: Pace } | null {
  const { timezone, now, roots, filter = {} } = options;
  const today = dayAt(now, timezone);
  const when = { today, weekStart: "monday" } as const;
  const asked = {
    timezone,
    roots,
    until: minutesOfDay(now, timezone),
    firstDay: firstDayForPace("month", when),
  };
  const [spending = new Map()] = inOneState(index.database, () => findSpending(index, [filter], asked));
  const pace = paceIn(spending, "month", when);
  const month = daysOf("month", today, "monday");
  const spent = month === null ? 0 : spentIn(spending, month);
  return pace === null || spent === 0 ? null : { spent, pace };
}
