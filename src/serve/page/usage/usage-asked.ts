import type { UsageReport } from "../../../reports/usage/usage-shapes.ts";
import { askedIn } from "../filters.ts";
import { dayAfter, daysBetween } from "../plots/period-keys.ts";
import type { Query } from "../route.ts";
import { apiPath } from "../server.ts";

/** Times that a page about money is asked for. */
export const SPANS = [
  ["14d", "14 d"],
  ["30d", "30 d"],
  ["90d", "90 d"],
  ["12mo", "1 y"],
  ["all", "all"],
] as const;

/** The filters of a page about money, as they are asked: a span where the address has none, and `all`. */
export function spentFilters(query: Query, span: string): Query {
  const { since = span, ...rest } = askedIn(query);
  return since === "all" ? { ...rest, all: "true" } : { ...rest, since };
}

export function usagePath(query: Query, span: string, more: Query): string {
  return apiPath("usage", { ...spentFilters(query, span), ...more });
}

/** What asks for as many days before a report; null where it has no beginning, or another end than today. */
export function pathBefore(
  query: Query,
  report: UsageReport | null,
  { by, today }: { by: string; today: string },
): string | null {
  if (report === null || report.since === null || report.until !== null) return null;
  const since = report.since.slice(0, today.length);
  const days = daysBetween(since, today);
  const bounds = { since: dayAfter(since, -days), until: dayAfter(since, -1) };
  return apiPath("usage", { ...askedIn(query), ...bounds, by });
}

/** `+12 %`; empty where there is nothing to compare with. */
export function changeText(now: number, before: number): string {
  if (before === 0) return "";
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? "+" : percent < 0 ? "−" : "±"}${Math.abs(percent)}%`;
}
