import type { BudgetReport } from "../../../reports/budgets/budget-shapes.ts";
import type { UsageReport } from "../../../reports/usage/usage-shapes.ts";
import { decimalsFor, formatMoney } from "../../../text/numbers.ts";
import { agoText, homePath, todayText } from "../about.ts";
import { FilterBar } from "../filter-bar.tsx";
import { askedIn, isOfTeam, whoseIn } from "../filters.ts";
import { route } from "../navigation.ts";
import { BarList } from "../plots/bar-list.tsx";
import { HeatMap } from "../plots/heat-map.tsx";
import type { PlotPeriod } from "../plots/period-keys.ts";
import { pageAddress, type Query } from "../route.ts";
import { apiPath } from "../server.ts";
import type { ListedSessions } from "../sessions/session-blocks.ts";
import { SessionTitle } from "../sessions/session-title.tsx";
import { PageTitle } from "../shell.tsx";
import { AnswerView, Card, NothingYet } from "../states.tsx";
import { pathBefore, usagePath } from "../usage/usage-asked.ts";
import { BudgetCard, Figures, SpanPicker } from "../usage/usage-parts.tsx";
import { RowBars, TimeBars, UNITS } from "../usage/usage-plots.tsx";
import { type AnswerState, useAnswer } from "../use-answer.ts";

const SPAN = "90d";

/** As many bars as can be told apart. */
function periodFor(since: string): PlotPeriod {
  return since === "all" ? "monthly" : since === "12mo" ? "weekly" : "daily";
}

function usageAddress(query: Query, by: string): string {
  return pageAddress("/usage", { ...query, by, since: query.since ?? SPAN });
}

/** What was spent, on what and when, and what ran last. */
export function OverviewPage() {
  const { query } = route.value;
  const recent = useAnswer<ListedSessions>(
    apiPath("sessions", { ...askedIn({ ...query, since: "" }), limit: "6" }),
  );
  const isEmpty = recent.answer?.total === 0 && query.project === undefined && !isOfTeam(query);
  return (
    <>
      <div class="row head">
        <PageTitle>Overview</PageTitle>
        <span class="row end">
          <FilterBar names={["project"]} />
          <SpanPicker path="/" span={SPAN} />
        </span>
      </div>
      {isEmpty ? (
        <NothingYet />
      ) : (
        <>
          <Spent query={query} />
          <Below query={query} recent={recent} />
        </>
      )}
    </>
  );
}

function Spent({ query }: { query: Query }) {
  const by = periodFor(query.since ?? SPAN);
  const spent = useAnswer<UsageReport>(usagePath(query, SPAN, { by, breakdown: "true" }));
  const before = useAnswer<UsageReport>(pathBefore(query, spent.answer, { by: "model", today: todayText() }));
  const agents = useAnswer<UsageReport>(usagePath(query, SPAN, { by: "agent" }));
  return (
    <AnswerView asked={spent} height={460}>
      {(report) => (
        <>
          <Figures report={report} before={before.answer} subagents={subagentCost(agents.answer)} />
          <Card title={`Cost per ${UNITS[by]} by model`} aside={<a href={usageAddress(query, by)}>more</a>}>
            <TimeBars report={report} by={by} />
          </Card>
        </>
      )}
    </AnswerView>
  );
}

function subagentCost(report: UsageReport | null): number {
  const own = report?.rows.find(({ key }) => key === "none")?.cost ?? 0;
  return report === null ? 0 : Math.max(0, report.totals.cost - own);
}

function Below({ query, recent }: { query: Query; recent: AnswerState<ListedSessions> }) {
  const hours = useAnswer<UsageReport>(usagePath(query, SPAN, { by: "hour-of-week" }));
  const projects = useAnswer<UsageReport>(usagePath(query, SPAN, { by: "project", limit: "8" }));
  const budgets = useAnswer<BudgetReport>(apiPath("budgets", whoseIn(query)));
  return (
    <div class="columns">
      <div>
        <BudgetCard report={budgets.answer} />
        <Card title="Hour of the week">
          <AnswerView asked={hours} height={220}>
            {({ rows }) => <HeatMap rows={rows} />}
          </AnswerView>
        </Card>
        {isOfTeam(query) && <People query={query} />}
      </div>
      <Card title="Dearest projects" aside={<a href={usageAddress(query, "project")}>all</a>}>
        <AnswerView asked={projects} height={320}>
          {({ rows }) => <ProjectBars rows={rows} query={query} />}
        </AnswerView>
      </Card>
      <Card
        title="Last active"
        aside={<a href={pageAddress("/sessions", askedIn({ ...query, since: "" }))}>all</a>}
      >
        <AnswerView asked={recent} height={320}>
          {(list) => <Recent list={list} />}
        </AnswerView>
      </Card>
    </div>
  );
}

/** Who of a team has spent how much. */
function People({ query }: { query: Query }) {
  const people = useAnswer<UsageReport>(usagePath(query, SPAN, { by: "author", limit: "8" }));
  return (
    <Card title="People" aside={<a href={usageAddress(query, "author")}>all</a>}>
      <AnswerView asked={people} height={220}>
        {(report) => <RowBars report={report} measure="cost" />}
      </AnswerView>
    </Card>
  );
}

function ProjectBars({ rows, query }: { rows: UsageReport["rows"]; query: Query }) {
  const bars = rows.map(({ key, cost }) => ({
    key,
    label: homePath(key),
    value: cost,
    href: pageAddress("/sessions", {
      ...whoseIn(query),
      project: key,
      since: query.since === "all" ? "" : (query.since ?? SPAN),
      sort: "cost:desc",
    }),
  }));
  const decimals = decimalsFor(Math.max(0, ...bars.map(({ value }) => value)));
  return <BarList bars={bars} format={(value) => formatMoney(value, decimals)} />;
}

function Recent({ list }: { list: ListedSessions }) {
  if (list.total === 0) return <NothingYet />;
  return (
    <ul class="recent">
      {list.sessions.map((session) => (
        <li key={session.id}>
          <SessionTitle session={session} />
          <span class="number">{formatMoney(session.usage.cost)}</span>
          <span class="soft">
            {agoText(session.modifiedAt)} · {homePath(session.project)}
          </span>
        </li>
      ))}
    </ul>
  );
}
