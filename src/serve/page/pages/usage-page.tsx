import type { BudgetReport } from "../../../reports/budgets/budget-shapes.ts";
import type { UsageReport } from "../../../reports/usage/usage-shapes.ts";
import { todayText } from "../about.ts";
import { saveAnswer } from "../download.ts";
import { Choice, FilterBar, FilterChips } from "../filter-bar.tsx";
import { filtersIn, isOfTeam, whoseIn } from "../filters.ts";
import { changeQuery, route } from "../navigation.ts";
import { HeatMap } from "../plots/heat-map.tsx";
import type { PlotPeriod } from "../plots/period-keys.ts";
import type { Query } from "../route.ts";
import { apiPath } from "../server.ts";
import { PageTitle } from "../shell.tsx";
import { AnswerView, Card } from "../states.tsx";
import { FigureTable } from "../usage/figure-table.tsx";
import { pathBefore, usagePath } from "../usage/usage-asked.ts";
import { BudgetCard, Figures, SpanPicker } from "../usage/usage-parts.tsx";
import { measureOf, NothingUsed, RowBars, TimeBars } from "../usage/usage-plots.tsx";
import { WasteCard } from "../usage/waste-card.tsx";
import { useAnswer } from "../use-answer.ts";

const SPAN = "30d";

const GROUPS = [
  ["", "By day"],
  ["weekly", "By week"],
  ["monthly", "By month"],
  ["hourly", "By hour"],
  ["hour-of-week", "By hour of the week"],
  ["model", "By model"],
  ["provider", "By provider"],
  ["project", "By project"],
  ["session", "By session"],
  ["source", "By source"],
  ["tool", "By tool"],
  ["agent", "By sub-agent"],
  ["thinking", "By thinking"],
  ["label", "By label"],
  ["branch", "By branch"],
  ["author", "By person"],
] as const;

/** By what only this machine's index can group, and only a team's database. */
const UNKNOWN_TO_TEAM = ["label", "branch"];
const KNOWN_TO_TEAM = ["author"];

function groupsFor(query: Query): (readonly [string, string])[] {
  const unknown = isOfTeam(query) ? UNKNOWN_TO_TEAM : KNOWN_TO_TEAM;
  return GROUPS.filter(([by]) => !unknown.includes(by));
}

const MEASURES = [
  ["", "Cost"],
  ["tokens", "Tokens"],
  ["requests", "Requests"],
] as const;

function isPeriod(by: string): by is PlotPeriod {
  return ["hourly", "daily", "weekly", "monthly"].includes(by);
}

/** Tokens and cost by anything, beside the time before, with budgets and what was spent in vain. */
export function UsagePage() {
  const { query } = route.value;
  const { by = "daily", sort = "" } = query;
  // As the command has it: what was spent in vain, which stands below any report.
  const isWaste = by === "waste";
  const path = usagePath(query, SPAN, { by, sort, breakdown: isPeriod(by) ? "true" : "" });
  const asked = useAnswer<UsageReport>(isWaste ? null : path);
  const budgets = useAnswer<BudgetReport>(apiPath("budgets", whoseIn(query)));
  return (
    <>
      <div class="row head">
        <PageTitle>Usage</PageTitle>
        <span class="end">
          <SpanPicker path="/usage" span={SPAN} />
        </span>
      </div>
      <UsageControls isOverTime={isPeriod(by)} />
      {!isWaste && (
        <AnswerView asked={asked} height={620}>
          {(report) => <UsageAnswer report={report} by={by} budgets={budgets.answer} />}
        </AnswerView>
      )}
      <div class="columns">
        <BudgetCard report={budgets.answer} />
        {!isOfTeam(query) && <WasteCard span={SPAN} />}
      </div>
    </>
  );
}

interface UsageAnswerProps {
  report: UsageReport;
  by: string;
  budgets: BudgetReport | null;
}

function UsageAnswer({ report, by, budgets }: UsageAnswerProps) {
  const { query } = route.value;
  const path = pathBefore(query, report, { by: isPeriod(by) ? by : "model", today: todayText() });
  const before = useAnswer<UsageReport>(path).answer;
  const csv = usagePath(query, SPAN, { by, sort: query.sort ?? "", csv: "true" });
  const compared = query.compare === "previous" ? before : null;
  const hasRows = report.rows.length > 0;
  return (
    <>
      <Figures report={report} before={before} />
      <Card title={titleOf(by)} aside={<CsvButton path={csv} by={by} />}>
        {hasRows ? (
          <UsagePlot report={report} by={by} budgets={budgets} before={compared} />
        ) : (
          <NothingUsed />
        )}
      </Card>
      {hasRows && (
        <Card title="Figures">
          <FigureTable report={report} />
        </Card>
      )}
    </>
  );
}

function UsageControls({ isOverTime }: { isOverTime: boolean }) {
  const isCompared = route.value.query.compare === "previous";
  return (
    <>
      <div class="row filters">
        <Choice name="by" label="By" choices={groupsFor(route.value.query)} />
        <Choice name="show" label="Show" choices={MEASURES} />
        <FilterBar names={["project", "author", "model", "provider", "origin", "tool", "label"]} />
        {isOverTime && (
          <button
            type="button"
            aria-pressed={isCompared}
            onClick={() => changeQuery({ compare: isCompared ? "" : "previous" })}
          >
            Compare to the time before
          </button>
        )}
      </div>
      <p class="row filters">
        <FilterChips without={["since"]} />
      </p>
    </>
  );
}

function titleOf(by: string): string {
  const measure = MEASURES.find(([each]) => each === (route.value.query.show ?? ""))?.[1] ?? "Cost";
  const group = GROUPS.find(([each]) => each === (by === "daily" ? "" : by))?.[1] ?? by;
  return `${measure} ${group.charAt(0).toLowerCase()}${group.slice(1)}`;
}

function CsvButton({ path, by }: { path: string; by: string }) {
  return (
    <button type="button" class="quiet" onClick={() => void saveAnswer(`usage-${by}.csv`, path)}>
      csv
    </button>
  );
}

interface PlotProps extends UsageAnswerProps {
  before: UsageReport | null;
}

function UsagePlot({ report, by, budgets, before }: PlotProps) {
  const measure = measureOf(route.value.query);
  if (by === "hour-of-week") return <HeatMap rows={report.rows} />;
  if (!isPeriod(by)) return <RowBars report={report} measure={measure} />;
  const isWhole = Object.keys(filtersIn({ ...route.value.query, since: "" })).length === 0;
  return (
    <TimeBars
      report={report}
      by={by}
      measure={measure}
      limit={isWhole ? limitFor(by, budgets) : undefined}
      before={before}
    />
  );
}

/** The limit of a budget for everything, for as long as a bar is. */
function limitFor(by: PlotPeriod, budgets: BudgetReport | null): number | undefined {
  const period = { hourly: "", daily: "day", weekly: "week", monthly: "month" }[by];
  const whole = budgets?.limits.filter(
    (each) => each.period === period && !each.project && !each.model && !each.provider,
  );
  return whole?.[0]?.limit;
}
