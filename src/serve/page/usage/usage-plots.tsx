import type { UsageReport } from "../../../reports/usage/usage-shapes.ts";
import { decimalsFor, formatCompact, formatCount, formatMoney } from "../../../text/numbers.ts";
import { homePath, todayText } from "../about.ts";
import { filtersFor, isOfTeam, whoseIn } from "../filters.ts";
import { route } from "../navigation.ts";
import { BarList } from "../plots/bar-list.tsx";
import { dayAfter, daysBetween, filledPeriods, type PlotPeriod } from "../plots/period-keys.ts";
import { type Measure, stackOf } from "../plots/stack.ts";
import { StackedBars } from "../plots/stacked-bars.tsx";
import { pageAddress, type Query, sessionAddress } from "../route.ts";

/** What an address wants to be shown of rows. */
export function measureOf({ show }: Query): Measure {
  return show === "tokens" ? "totalTokens" : show === "requests" ? "requests" : "cost";
}

function formatOf(measure: Measure, most: number): (value: number) => string {
  if (measure === "totalTokens") return formatCompact;
  if (measure === "requests") return formatCount;
  const decimals = decimalsFor(most);
  return (value) => formatMoney(value, decimals);
}

const NAMES = { cost: "Cost", totalTokens: "Tokens", requests: "Requests" };
export const UNITS = { hourly: "hour", daily: "day", weekly: "week", monthly: "month" };

interface TimeProps {
  report: UsageReport;
  by: PlotPeriod;
  measure?: Measure;
  /** Of cost. */
  limit?: number | undefined;
  before?: UsageReport | null;
}

/** A report by time as bars of its models. */
export function TimeBars({ report, by, measure = "cost", limit, before = null }: TimeProps) {
  // Sorted by something else, rows are still periods.
  const rows = report.rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const bounds = { since: report.since, until: report.until ?? todayText() };
  const periods = filledPeriods(
    rows.map(({ key }) => key),
    by,
    bounds,
  );
  if (periods.length === 0) return <NothingUsed />;
  const stack = stackOf(rows, periods, measure);
  return (
    <StackedBars
      stack={stack}
      by={by}
      name={`${NAMES[measure]} per ${UNITS[by]} by model${measure === "cost" ? ", US dollars" : ""}`}
      format={formatOf(measure, stack.highest)}
      limit={measure === "cost" ? limit : undefined}
      before={by === "daily" && before !== null ? valuesBefore(before, periods, measure) : undefined}
    />
  );
}

/** What each day had, as many days before as the plot shows; nothing where it leaves some out. */
function valuesBefore(before: UsageReport, days: readonly string[], measure: Measure): number[] {
  const known = new Map(before.rows.map((row) => [row.key, row[measure]]));
  const back = daysBetween(days[0] ?? "", days.at(-1) ?? "");
  if (back !== days.length) return [];
  return days.map((day) => known.get(dayAfter(day, -back)) ?? 0);
}

/** More bars than this say nothing; the table has them all. */
const MOST_BARS = 20;

/** A report by anything else as bars. */
export function RowBars({ report, measure }: { report: UsageReport; measure: Measure }) {
  const bars = report.rows
    .map((row) => ({
      key: row.path ?? row.key,
      label: rowLabel(report.by, row),
      value: row[measure],
      href: rowAddress(report.by, row.key),
    }))
    .sort((a, b) => b.value - a.value)
    .slice(0, MOST_BARS);
  return <BarList bars={bars} format={formatOf(measure, bars[0]?.value ?? 0)} />;
}

export function rowLabel(by: string, { key, label }: { key: string; label?: string }): string {
  return label ?? (by === "project" ? homePath(key) : key);
}

/** Where to read on about a row. */
export function rowAddress(by: string, key: string): string | undefined {
  if (key === "none" || key === "unknown") return undefined;
  const whose = whoseIn(route.value.query);
  if (by === "session") return isOfTeam(whose) ? undefined : sessionAddress(key);
  if (
    !filtersFor(whose, ["project", "author", "model", "provider", "tool", "label"]).some(
      (name) => name === by,
    )
  )
    return undefined;
  return pageAddress("/sessions", { ...whose, [by]: key, sort: "cost:desc" });
}

export function NothingUsed() {
  const { query } = route.value;
  return (
    <p class="empty">
      Nothing was used in this time.{" "}
      {query.since !== "all" && (
        <a href={pageAddress(location.pathname, { ...query, since: "all" })}>Look at all of it</a>
      )}
    </p>
  );
}
