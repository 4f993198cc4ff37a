import { addUp } from "../../reports/usage/figures.ts";
import type { UsageReport, UsageRow } from "../../reports/usage/usage-shapes.ts";
import { formatCompact } from "../../text/numbers.ts";
import { addDays } from "../../time/calendar.ts";
import { type Cost, formatCost } from "./usage-period.ts";

/** What today, the last 7 and the last 30 days cost, from a report by day since 30 days ago; `today` is a date. */
export function statusLineFigures({ rows, totals, unpriced }: UsageReport, today: string) {
  const weekAgo = addDays(today, -7);
  return {
    today: together(rows.filter(({ key }) => key === today)),
    last7Days: together(rows.filter(({ key }) => key >= weekAgo)),
    last30Days: { ...totals, unpriced },
  };
}

function together(rows: readonly UsageRow[]) {
  return { ...addUp(rows), unpriced: rows.reduce((sum, { unpriced }) => sum + unpriced, 0) };
}

/** `$1.23 today (4.5M tokens) · $8.90 in 7 days · $30.12 in 30 days` */
export function statusLine({ today, last7Days, last30Days }: ReturnType<typeof statusLineFigures>): string {
  const spent = (figures: Cost): string =>
    figures.cost === 0 && figures.unpriced === 0 ? "$0" : formatCost(figures);
  const tokens = today.totalTokens === 0 ? "" : ` (${formatCompact(today.totalTokens)} tokens)`;
  return `${spent(today)} today${tokens} · ${spent(last7Days)} in 7 days · ${spent(last30Days)} in 30 days`;
}
