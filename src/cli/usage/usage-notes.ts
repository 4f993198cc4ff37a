import type { ReportBounds } from "../../reports/usage/bounds.ts";
import type { ReportGrouping, UsageReport } from "../../reports/usage/usage-shapes.ts";
import { formatCompact, formatMoney, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { formatMoment } from "../../time/calendar.ts";

/** Sentences about what the numbers of a report cover and what they leave out. */
export function usageNotes(report: UsageReport): string[] {
  return [
    `${periodText(report)}, time zone ${report.timezone}.`,
    ...cacheNote(report),
    ...copiesNote(report),
    ...priceNote(report),
    ...estimateNotes(report),
    ...oneRowNote(report),
  ];
}

type CoveredPeriod = ReportBounds & Pick<UsageReport, "timezone">;

/** `2026-10-05 to 2026-11-03 14:05`, as far as the report says. */
export function periodText({ since, until, timezone }: CoveredPeriod): string {
  const [first, last] = [since, until].map((bound) => bound && boundText(bound, timezone));
  if (since !== null && until !== null && since > until) return "A day that the clocks skipped";
  if (first && last) return first === last ? first : `${first} to ${last}`;
  if (first) return `Since ${first}`;
  return last ? `Up to ${last}` : "All time";
}

/** What is said of a report without rows. */
export function nothingUsed(report: CoveredPeriod): string {
  const more = report.since === null ? "" : " --all covers everything.";
  return `Nothing was used. ${periodText(report)}, time zone ${report.timezone}.${more}`;
}

function boundText(bound: string, timezone: string): string {
  return bound.includes("T") ? formatMoment(Date.parse(bound), timezone) : bound;
}

/** Why there is nothing to compare, where a report has one row that says little by itself. */
const ALONE: Partial<Record<ReportGrouping, readonly [key: string, why: string]>> = {
  tool: ["none", "No tool has stated usage of its own, as one does that asks models itself."],
  source: [
    "assistant",
    "All of it went into turns; tools that ask models, compactions and summaries would have rows of their own.",
  ],
  agent: ["none", "No sub-agent has spent any of it."],
  label: ["none", "Nothing was spent under a label; labels are set in pi."],
  branch: ["current", "Nothing was spent on branches that were abandoned."],
  thinking: ["unknown", "The files do not say how much models were asked to think; pi does so since 1.1."],
};

function oneRowNote({ rows, by }: UsageReport): string[] {
  const [key, why] = ALONE[by] ?? [];
  return rows.length === 1 && why !== undefined && rows[0]?.key === key ? [why] : [];
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

/** The most models that are named; more would hide the sentence. */
const MOST_NAMES = 10;

/** What an estimate rests on, and what it lacks. */
function estimateNotes(report: UsageReport): string[] {
  const { unknownModels = [], priceList } = report;
  if (priceList === undefined) return [];
  const basis = basisOfEstimate(report, `the list of pi's models ${priceList.version}`.trim());
  if (unknownModels.length === 0) return [basis];
  const names = unknownModels
    .slice(0, MOST_NAMES)
    .map(({ provider, model, requests }) => `${provider || "unknown"}/${model || "unknown"} (${requests})`);
  const more = unknownModels.length > MOST_NAMES ? `, and ${unknownModels.length - MOST_NAMES} more` : "";
  return [basis, oneLine(`Without a price there, as local models: ${names.join(", ")}${more}.`)];
}

function basisOfEstimate({ estimatedRequests = 0, unpriced }: UsageReport, list: string): string {
  if (unpriced === 0) return "There is nothing to estimate: no request states tokens without a cost.";
  if (estimatedRequests === 0) return `Nothing could be estimated by ${list}.`;
  return `Estimate: what ${plural(estimatedRequests, "request")} without a cost would have cost as API, by ${list}; no part of Cost.`;
}
