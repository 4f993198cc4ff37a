import { type Condition, inTime } from "../../filters/where.ts";
import type { Sums } from "../../format/usage.ts";
import type { Session, SessionSortKey } from "../../reports/answers.ts";
import { addUp } from "../../reports/usage/figures.ts";
import { zeroSums } from "../../store/tables/usage-buckets.ts";
import { isoOrNull, toIso } from "../../time/calendar.ts";
import type { TeamClient } from "../connect.ts";
import { numbered, ofTeamRequest, ofTeamSession, type TeamFilter } from "./team-filter.ts";

/** What a team knows of a session: as `Session` has it, without what only its file says. */
export interface TeamSession
  extends Pick<
    Session,
    | "id"
    | "project"
    | "name"
    | "title"
    | "createdAt"
    | "modifiedAt"
    | "messageCount"
    | "entryCount"
    | "branchCount"
    | "origin"
    | "agent"
    | "subagents"
    | "models"
    | "usage"
    | "inherited"
  > {
  /** Who has pushed it. */
  author: string;
  /** What has left the device: `usage`, `names` or `text`. Titles are empty at the first. */
  level: string;
}

export const TEAM_SORT_KEYS = [
  "modified",
  "created",
  "cost",
  "tokens",
  "messages",
  "title",
] as const satisfies readonly SessionSortKey[];
type SortKey = (typeof TEAM_SORT_KEYS)[number];

export interface TeamListOptions {
  filter?: TeamFilter;
  allSessions?: boolean;
  sort?: { key: SortKey; descending: boolean };
  /** 0 or nothing: all. */
  limit?: number;
  offset?: number;
}

const COLUMNS = `s.author, s.file_id, s.session_id, s.level, s.project, s.name, s.title, s.created_at, s.modified_at, s.origin, s.agent,
  s.message_count, s.entry_count, s.branch_count, s.models`;

const ORDER: Record<SortKey, string> = {
  modified: "s.modified_at",
  created: "s.created_at",
  cost: "sum(s.cost)",
  tokens: "sum(s.tokens)",
  messages: "s.message_count",
  title: "lower(s.title)",
};

/**
 * Sums of all sessions, for an order by them. Not by a join: behind the views PostgreSQL thinks that there are few of each, and
 * would look at all sums for each session.
 */
const WITH_TOTALS = `UNION ALL SELECT q.author, q.file_id, q.cost, q.total_tokens, false FROM sessiondb_team.usage_quarters q) s
  GROUP BY s.author, s.file_id HAVING bool_or(s.is_session)`;

/** Sessions with their totals; `total` counts all that match. @throws SessionDbError as `teamError` */
export async function listTeamSessions(
  client: TeamClient,
  options: TeamListOptions = {},
): Promise<{ total: number; sessions: TeamSession[] }> {
  const { limit = 0, offset = 0 } = options;
  const where = numbered(conditionsOf(options));
  const ids = await chosen(client, where, options);
  const rows = await client.query<Row>(ROWS, [ids]);
  const places = new Map(ids.map((id, at) => [id, at]));
  const [sums, members] = [await sumsOf(client, ids), await membersOf(client, ids)];
  const sessions = rows
    .sort((a, b) => (places.get(a.file_id) ?? 0) - (places.get(b.file_id) ?? 0))
    .map((row) => toSession(row, sums, members));
  const isAll = limit === 0 && offset === 0;
  return { total: isAll ? ids.length : await count(client, where), sessions };
}

/** Which sessions are listed, in their order. */
async function chosen(
  client: TeamClient,
  { sql, values }: Condition,
  { limit = 0, offset = 0, sort = { key: "modified", descending: true } }: TeamListOptions,
): Promise<number[]> {
  const isByTotals = sort.key === "cost" || sort.key === "tokens";
  const direction = sort.descending ? "DESC NULLS LAST" : "ASC NULLS FIRST";
  const rows = await client.query<{ file_id: number }>(
    [
      ...(isByTotals
        ? [
            "SELECT s.file_id FROM (SELECT s.author, s.file_id, 0 AS cost, 0 AS tokens, true AS is_session",
            "FROM sessiondb_team.sessions s",
            sql,
            WITH_TOTALS,
          ]
        : ["SELECT s.file_id FROM sessiondb_team.sessions s", sql]),
      ...["ORDER BY", ORDER[sort.key], direction, ", s.author, s.file_id"],
      ...[limit > 0 ? `LIMIT ${limit}` : "", `OFFSET ${offset}`],
    ].join(" "),
    values,
  );
  return rows.map((row) => row.file_id);
}

const ROWS = `SELECT ${COLUMNS} FROM sessiondb_team.sessions s WHERE s.file_id = ANY ($1)`;

async function count(client: TeamClient, { sql, values }: Condition): Promise<number> {
  const statement = ["SELECT count(*) AS total FROM sessiondb_team.sessions s", sql].join(" ");
  const [row] = await client.query<{ total: number }>(statement, values);
  return row?.total ?? 0;
}

function conditionsOf({ allSessions, filter = {} }: TeamListOptions): Condition[] {
  const isFolded = !allSessions && filter.origin !== "subagent";
  return [
    ...(isFolded ? [{ sql: "s.root_file_id = s.file_id", values: [] }] : []),
    ...ofTeamSession(filter),
    ...ofRequests(filter),
  ];
}

/** What of a filter one and the same request must meet; a time also the last activity. */
function ofRequests(filter: TeamFilter): Condition[] {
  const time = inTime("u.timestamp", filter);
  const conditions = [...ofTeamRequest(filter), ...time];
  if (conditions.length === 0) return [];
  const all = conditions.map(({ sql }) => `(${sql})`).join(" AND ");
  const values = conditions.flatMap((each) => each.values);
  const said = `s.file_id IN (SELECT u.file_id FROM sessiondb_team.usage u WHERE ${all})`;
  if (time.length < conditions.length) return [{ sql: said, values }];
  const active = inTime("s.modified_at", filter);
  return [
    {
      sql: `${active.map(({ sql }) => sql).join(" AND ")} OR ${said}`,
      values: [...active.flatMap((each) => each.values), ...values],
    },
  ];
}

interface Row {
  file_id: number;
  session_id: string;
  author: string;
  level: string;
  project: string;
  name: string | null;
  title: string;
  created_at: number | null;
  modified_at: number;
  origin: Session["origin"];
  agent: string | null;
  message_count: number;
  entry_count: number;
  branch_count: number;
  models: string;
}

/** What a session holds, and the part of it that is counted elsewhere. */
type SessionSums = Pick<TeamSession, "usage" | "inherited">;

const SUMS = `SELECT q.file_id AS id, q.counted, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS "cacheRead",
    sum(q.cache_write) AS "cacheWrite", sum(q.total_tokens) AS "totalTokens", sum(q.cost) AS cost, sum(q.requests) AS requests
  FROM sessiondb_team.usage_quarters q WHERE q.file_id = ANY ($1) GROUP BY 1, 2`;

async function sumsOf(client: TeamClient, ids: readonly number[]): Promise<Map<number, SessionSums>> {
  const rows = await client.query<Sums & { id: number; counted: number }>(SUMS, [ids]);
  const sums = new Map<number, SessionSums>();
  for (const { id, counted, ...found } of rows) {
    const { usage, inherited } = sums.get(id) ?? NOTHING;
    sums.set(id, {
      usage: addUp([usage, found]),
      inherited: counted === 1 ? inherited : addUp([inherited, found]),
    });
  }
  return sums;
}

const NOTHING: SessionSums = { usage: zeroSums(), inherited: zeroSums() };

type Members = ReadonlyMap<number, TeamSession["subagents"]>;

const MEMBERS = `SELECT s.root_file_id AS root, s.file_id AS id FROM sessiondb_team.sessions s
  WHERE s.root_file_id = ANY ($1) AND s.file_id <> s.root_file_id`;

/** Sessions of sub-agents that belong to those that are listed, and what counts in them. */
async function membersOf(client: TeamClient, ids: readonly number[]): Promise<Members> {
  const found = await client.query<{ root: number; id: number }>(MEMBERS, [ids]);
  if (found.length === 0) return new Map();
  const sums = await sumsOf(
    client,
    found.map(({ id }) => id),
  );
  const members = new Map<number, TeamSession["subagents"]>();
  for (const { root, id } of found) {
    const { sessions, cost } = members.get(root) ?? { sessions: 0, cost: 0 };
    const { usage, inherited } = sums.get(id) ?? NOTHING;
    members.set(root, { sessions: sessions + 1, cost: cost + usage.cost - inherited.cost });
  }
  return members;
}

function toSession(row: Row, sums: ReadonlyMap<number, SessionSums>, members: Members): TeamSession {
  return {
    author: row.author,
    id: row.session_id,
    project: row.project,
    name: row.name,
    title: row.title,
    createdAt: isoOrNull(row.created_at),
    modifiedAt: toIso(row.modified_at),
    messageCount: row.message_count,
    entryCount: row.entry_count,
    branchCount: row.branch_count,
    origin: row.origin,
    agent: row.agent,
    subagents: members.get(row.file_id) ?? { sessions: 0, cost: 0 },
    models: JSON.parse(row.models) as string[],
    level: row.level,
    ...(sums.get(row.file_id) ?? NOTHING),
  };
}
