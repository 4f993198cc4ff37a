import type { Filter } from "../../filters/filter.ts";
import { dayAt, dayOf, startOfDay, toIso } from "../../time/calendar.ts";
import { nearestInstant } from "../../time/zone.ts";

/** What a report about usage covers, as far as its filter says. */
export interface ReportBounds {
  /**
   * First and last day of the report (`2026-11-03`), or instant where it is not of whole days (ISO 8601 UTC), both included;
   * null where it is open.
   */
  since: string | null;
  until: string | null;
}

export function boundsOf({ since, until }: Filter, timezone: string): ReportBounds {
  return {
    since: since === undefined ? null : boundOf(since, since, timezone),
    until: until === undefined ? null : boundOf(until - 1, until, timezone),
  };
}

/** The first or last moment of a report; where that is one of a day, the day. */
function boundOf(included: number, edge: number, timezone: string): string {
  const isMidnight = startOfDay(dayAt(edge, timezone), timezone) === edge;
  return isMidnight ? dayOf(included, timezone) : toIso(nearestInstant(included));
}
