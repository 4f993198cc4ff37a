import type { BudgetLimit, BudgetReport } from "../../../reports/budgets/budget-shapes.ts";
import type { UsageReport } from "../../../reports/usage/usage-shapes.ts";
import { formatCompact, formatCount, formatMoney, plural } from "../../../text/numbers.ts";
import { route } from "../navigation.ts";
import { Bar } from "../plots/bar-list.tsx";
import { daysBetween } from "../plots/period-keys.ts";
import { pageAddress } from "../route.ts";
import { Card } from "../states.tsx";
import { changeText, SPANS } from "./usage-asked.ts";

/** Which time a page is about. */
export function SpanPicker({ path, span }: { path: string; span: string }) {
  const { query } = route.value;
  const now = query.since ?? span;
  return (
    <nav class="picker" aria-label="Time">
      {SPANS.map(([since, shown]) => (
        <a
          key={since}
          href={pageAddress(path, { ...query, since })}
          aria-current={since === now ? "true" : undefined}
        >
          {shown}
        </a>
      ))}
    </nav>
  );
}

interface FiguresProps {
  report: UsageReport;
  before: UsageReport | null;
  /** What sub-agents have cost, of it. */
  subagents?: number;
}

/** The totals of a report, beside those of the time before. */
export function Figures({ report, before, subagents = 0 }: FiguresProps) {
  const { totals, cacheHitRate, cacheSavings, unpriced } = report;
  return (
    <dl class="figure-row">
      <Figure
        name="Cost"
        value={totals.cost === 0 ? "$0" : formatMoney(totals.cost)}
        about={comparedTo(totals.cost, before)}
      />
      {subagents > 0 && <Figure name="Of it sub-agents" value={formatMoney(subagents)} about="" />}
      <Figure
        name="Requests"
        value={formatCount(totals.requests)}
        about={unpriced === 0 ? "" : `${formatCount(unpriced)} without a price`}
      />
      <Figure
        name="Tokens"
        value={formatCompact(totals.totalTokens)}
        about={`${formatCompact(totals.output)} of them output`}
      />
      {cacheHitRate !== null && (
        <Figure
          name="Read from cache"
          value={`${Math.round(cacheHitRate * 100)}%`}
          about={cacheSavings === null ? "" : `saved ${formatMoney(cacheSavings)}`}
        />
      )}
    </dl>
  );
}

function Figure({ name, value, about }: { name: string; value: string; about: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {about !== "" && <small>{about}</small>}
      </dd>
    </div>
  );
}

function comparedTo(cost: number, before: UsageReport | null): string {
  if (before === null || before.since === null || before.until === null) return "";
  const change = changeText(cost, before.totals.cost);
  const days = daysBetween(before.since.slice(0, 10), before.until.slice(0, 10));
  return change === "" ? "" : `${change} to the ${plural(days, "day")} before`;
}

const WHEN = { day: "today", week: "this week", month: "this month", total: "in all" };

/** Each limit as a bar: what is spent of it, and from where on it warns. Nothing where no budgets are set. */
export function BudgetCard({ report }: { report: BudgetReport | null }) {
  if (report === null || report.limits.length === 0) return null;
  return (
    <Card title="Budgets">
      <ul class="bars">
        {report.limits.map((limit) => (
          <BudgetBar key={`${limit.name} ${limit.period}`} limit={limit} />
        ))}
      </ul>
    </Card>
  );
}

function BudgetBar({ limit: { name, period, spent, limit, warnAt, state, pace } }: { limit: BudgetLimit }) {
  const forecast = pace?.forecast ?? null;
  return (
    <li>
      <span class="name">
        <bdi>{name}</bdi> <span class="soft">{WHEN[period]}</span> {state !== "within" && <b>{state}</b>}
      </span>
      <span class="number">
        {spent === 0 ? "$0" : formatMoney(spent)} <span class="soft">of {formatMoney(limit)}</span>
      </span>
      <Bar part={spent / limit} kind={state} mark={warnAt / limit} />
      {forecast !== null && (
        <span class="soft">
          At its end likely {formatMoney(forecast.low)} to {formatMoney(forecast.high)}
        </span>
      )}
    </li>
  );
}
