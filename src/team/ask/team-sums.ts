import { currentProviderOf } from "../../filters/providers.ts";
import { aboveOf, type FoundSums, SOME_TOKENS } from "../../reports/usage/aggregate.ts";
import { pricedAs } from "../../reports/usage/figures.ts";
import { type Group, GroupNames, placeIn } from "../../reports/usage/group-names.ts";
import {
  dayExpression,
  GROUPINGS,
  type Grouping,
  hourOfWeekExpression,
} from "../../reports/usage/groupings.ts";
import { splitsQuarter } from "../../reports/usage/source.ts";
import { reportOf } from "../../reports/usage/usage-report.ts";
import {
  type ReportOptions,
  USAGE_GROUPINGS,
  type UsageGrouping,
  type UsageReport,
} from "../../reports/usage/usage-shapes.ts";
import { QUARTER_MS, quarterOf } from "../../store/tables/usage-buckets.ts";
import { offsetsBetween } from "../../time/zone.ts";
import type { TeamClient } from "../connect.ts";
import { joinForSessions, numbered, ofTeamUsage, type TeamFilter } from "./team-filter.ts";

/** By what a team's usage can be grouped: labels stay where they are, and which branches were left. */
export const TEAM_GROUPINGS = ["author" as const, ...USAGE_GROUPINGS.filter(isKnownToTeam)];

function isKnownToTeam(by: UsageGrouping): by is Exclude<UsageGrouping, "label" | "branch"> {
  return by !== "label" && by !== "branch";
}

export type TeamGrouping = (typeof TEAM_GROUPINGS)[number];

export interface TeamUsageOptions extends Omit<ReportOptions, "by" | "filter"> {
  by: TeamGrouping;
  filter?: TeamFilter;
}

/** The report that `sumUsage` makes of one index, of all that the connection may see. @throws SessionDbError as `teamError` */
export async function sumTeamUsage(client: TeamClient, options: TeamUsageOptions): Promise<UsageReport> {
  return reportOf(await findSums(client, options), options);
}

/** Where usage is read from, called `u`. Money of copies counts once there as here. */
interface Source {
  from: string;
  /** Unix ms; null where only the quarter of an hour is known. */
  time: string | null;
  requests: string;
  unpriced: string;
  pricedInput: string;
  pricedCache: string;
  costFromProvider: string;
  timedRequests: string;
  timedOutput: string;
}

/** A tenth of the rows, and enough for what whole quarters of an hour can answer. */
const QUARTERS: Source = {
  from: "sessiondb_team.usage_quarters",
  time: null,
  requests: "sum(u.requests)",
  unpriced: "sum(u.unpriced)",
  pricedInput: "sum(u.priced_input)",
  pricedCache: "sum(u.priced_cache)",
  costFromProvider: "sum(u.cost_from_provider)",
  timedRequests: "sum(u.timed_requests)",
  timedOutput: "sum(u.timed_output)",
};
const ROWS: Source = {
  from: "sessiondb_team.usage",
  time: "coalesce(u.timestamp, s.created_at, 0)",
  requests: "count(*)",
  unpriced: "count(*) FILTER (WHERE u.cost = 0 AND u.total_tokens > 0)",
  pricedInput: "coalesce(sum(u.input) FILTER (WHERE u.cost_input > 0), 0)",
  pricedCache: `coalesce(sum(u.cache_read + u.cache_write)
    FILTER (WHERE u.cost_input + u.cost_output + u.cost_cache_read + u.cost_cache_write > 0), 0)`,
  costFromProvider: "coalesce(sum(u.cost_from_provider), 0)",
  timedRequests: "count(u.duration_ms)",
  timedOutput: "coalesce(sum(u.output) FILTER (WHERE u.duration_ms IS NOT NULL), 0)",
};

function sourceOf(options: TeamUsageOptions): Source {
  const { by, filter = {}, times, withTokens, prices } = options;
  return splitsQuarter(filter) || times || withTokens || prices || needsRows(by) ? ROWS : QUARTERS;
}

function needsRows(by: TeamGrouping): boolean {
  return by !== "author" && GROUPINGS[by].needsRows === true;
}

/** A sum, by name as `FoundSums` has it. */
type Row = Omit<FoundSums, "counted" | "group" | "shown" | "order" | "pricedAs"> & {
  isCounted: number;
  key: Group;
};

const GROUPED = 'GROUP BY "key", model, provider, "isCounted", slice, above';

async function findSums(client: TeamClient, options: TeamUsageOptions): Promise<FoundSums[]> {
  const { by, filter = {}, trend = 1, timezone, weekStart = "monday" } = options;
  const source = sourceOf(options);
  const span = await spanFor(client, options);
  const conditions = ofTeamUsage(filter, source.time);
  if (options.withTokens) conditions.push(SOME_TOKENS);
  const where = numbered(conditions);
  const columns = columnsOf(source, { ...options, trend, span });
  const rows = await client.query<Row>(
    [
      "SELECT",
      columns,
      "FROM",
      source.from,
      "u",
      joinForSessions(columns + where.sql),
      where.sql,
      GROUPED,
    ].join(" "),
    where.values,
  );
  const calendar = { timezone, weekStart };
  const grouping: Grouping = by === "author" ? { key: "" } : GROUPINGS[by];
  const names = new GroupNames(grouping, calendar);
  const place = placeIn(grouping, calendar);
  const sessions = by === "session" ? await sessionsOf(client, rows) : undefined;
  return rows.map(({ isCounted, key, ...sums }) => ({
    ...sums,
    counted: isCounted === 1,
    group: names.of(key),
    shown: sessions?.get(key) ?? { key: names.of(key) },
    order: place(key),
    pricedAs: pricedAs(sums.provider, sums.model),
  }));
}

interface Span {
  /** Quarters of an hour. */
  first: number;
  last: number;
}

/** The first and the last quarter of an hour with usage, where a report has to know it. */
async function spanFor(client: TeamClient, { by, trend = 1 }: TeamUsageOptions): Promise<Span> {
  const isOfDays = by !== "author" && ["day", "hour of week"].includes(GROUPINGS[by].period?.of ?? "");
  if (trend <= 1 && !isOfDays) return { first: 0, last: 0 };
  const [span] = await client.query<Span>(
    `SELECT coalesce(min(quarter), 0) AS first, coalesce(max(quarter), 0) AS last FROM sessiondb_team.usage_quarters`,
  );
  return span ?? { first: 0, last: 0 };
}

function columnsOf(source: Source, options: TeamUsageOptions & { trend: number; span: Span }): string {
  const { times, prices } = options;
  return `u.counted AS "isCounted", ${keyOf(options)} AS "key",
    ${currentProviderOf("coalesce(u.provider, '')")} AS provider, coalesce(u.model, '') AS model,
    ${source.requests} AS requests, ${source.unpriced} AS unpriced, ${source.pricedInput} AS "pricedInput",
    ${source.pricedCache} AS "pricedCache", ${source.costFromProvider} AS "costFromProvider",
    ${source.timedRequests} AS "timedRequests",
    ${source.timedOutput} AS "timedOutput", coalesce(sum(u.duration_ms), 0) AS "durationMs", sum(u.input) AS input,
    sum(u.output) AS output, sum(u.cache_read) AS "cacheRead", sum(u.cache_write) AS "cacheWrite",
    sum(u.total_tokens) AS "totalTokens", sum(u.cost) AS cost, sum(u.cost_input) AS "costInput",
    sum(u.cost_cache_read) AS "costCacheRead", sum(u.cost_cache_write) AS "costCacheWrite", ${sliceOf(options)} AS slice,
    ${times ? 'min(u.timestamp) AS "firstAt", max(u.timestamp) AS "lastAt"' : 'NULL::bigint AS "firstAt", NULL::bigint AS "lastAt"'},
    ${prices === undefined ? "NULL::bigint" : aboveOf(prices.thresholds)} AS above,
    ${prices === undefined ? "0" : "sum(u.cache_write_1h)"} AS "cacheWrite1h"`;
}

function keyOf({ by, own, filter, timezone, span }: TeamUsageOptions & { span: Span }): string {
  const offsets = () => offsetsBetween(span.first * QUARTER_MS, span.last * QUARTER_MS, timezone);
  switch (by) {
    case "author":
      return "u.author";
    case "hourly":
      return "u.quarter";
    case "daily":
    case "weekly":
    case "monthly":
      return dayExpression("u.quarter", offsets());
    case "hour-of-week":
      return hourOfWeekExpression("u.quarter", offsets());
    case "session":
      return own || filter?.origin === "subagent" ? "u.file_id" : "s.root_file_id";
    case "project":
      return "s.project";
    case "provider":
      return currentProviderOf("coalesce(u.provider, '')");
    case "model":
      return "coalesce(u.model, '')";
    case "source":
      return "u.source";
    case "tool":
      return "u.tool_name";
    case "agent":
      return "CASE s.origin WHEN 'subagent' THEN coalesce(s.agent, '') ELSE u.agent END";
    case "thinking":
      return "u.thinking_level";
    default:
      return by satisfies never;
  }
}

/** As the local report's: which of the equal slices of the report's time a row lies in, from 0 on. */
function sliceOf({ trend, filter = {}, span }: TeamUsageOptions & { trend: number; span: Span }): string {
  if (trend <= 1) return "0";
  const start = filter.since === undefined ? span.first : quarterOf(filter.since);
  const end = filter.until === undefined ? span.last + 1 : Math.ceil(filter.until / QUARTER_MS);
  const slice = `(u.quarter - (${start})) * ${trend} / ${Math.max(1, end - start)}`;
  return `least(${trend - 1}, greatest(0, ${slice}))`;
}

const SESSIONS = `SELECT file_id AS id, session_id AS key, author, title FROM sessiondb_team.sessions WHERE file_id = ANY ($1)`;

interface SessionRow {
  id: number;
  key: string;
  author: string;
  title: string;
}

/** What sessions are called: whose they are, and their titles where those have left the device. */
async function sessionsOf(client: TeamClient, rows: readonly Row[]): Promise<Map<Group, FoundSums["shown"]>> {
  const ids = [...new Set(rows.map(({ key }) => key))];
  const found = await client.query<SessionRow>(SESSIONS, [ids]);
  return new Map(
    found.map(({ id, key, author, title }) => [
      id,
      { key, label: title === "" ? author : `${author}: ${title}` },
    ]),
  );
}
