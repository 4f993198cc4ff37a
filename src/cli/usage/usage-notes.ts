import type { UsageReport } from "../../reports/usage/usage-shapes.ts";
import { formatCompact, formatMoney, plural } from "../../text/numbers.ts";
import { formatMoment } from "../../time/calendar.ts";

/** Sentences about what the numbers of a report cover and what they leave out. */
export function usageNotes(report: UsageReport): string[] {
  return [
    `${periodText(report)}, time zone ${report.timezone}.`,
    ...cacheNote(report),
    ...copiesNote(report),
    ...priceNote(report),
  ];
}

/** `2026-10-05 to 2026-11-03 14:05`, as far as the report says. */
export function periodText({ since, until, timezone }: UsageReport): string {
  const [first, last] = [since, until].map((bound) => bound && boundText(bound, timezone));
  if (since !== null && until !== null && since > until) return "A day that the clocks skipped";
  if (first && last) return first === last ? first : `${first} to ${last}`;
  if (first) return `Since ${first}`;
  return last ? `Up to ${last}` : "All time";
}

function boundText(bound: string, timezone: string): string {
  return bound.includes("T") ? formatMoment(Date.parse(bound), timezone) : bound;
}

function cacheNote({ cacheHitRate, cacheSavings }: UsageReport): string[] {
  if (!cacheHitRate) return [];
  const share = `${Math.round(cacheHitRate * 100)}% of the input came from the prompt cache`;
  // It is 0, too, where only models have a price that nothing was cached for.
  if (!cacheSavings) return [`${share}.`];
  const size = formatMoney(Math.abs(cacheSavings));
  return [
    cacheSavings < 0 ? `${share}, which cost ${size} more than it saved.` : `${share}, which saved ${size}.`,
  ];
}

function copiesNote({ copies }: UsageReport): string[] {
  if (copies.requests === 0) return [];
  const size = copies.cost === 0 ? `${formatCompact(copies.totalTokens)} tokens` : formatMoney(copies.cost);
  const what = `${size} in ${plural(copies.requests, "request")}`;
  return [`Left out: ${what}, copied into forks and counted where it was spent.`];
}

function priceNote({ unpriced }: UsageReport): string[] {
  if (unpriced === 0) return [];
  const says = unpriced === 1 ? "states" : "state";
  return [`Not priced: ${plural(unpriced, "request")} ${says} tokens but no cost.`];
}
