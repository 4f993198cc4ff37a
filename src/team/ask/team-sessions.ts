import { type Condition, inTime, isOfProvider } from "../../filters/where.ts";
import type { Sums } from "../../format/usage.ts";
import type { Session, SessionSortKey } from "../../reports/answers.ts";
import { isoOrNull, toIso } from "../../time/calendar.ts";
import type { TeamClient } from "../connect.ts";
import { containsText, numbered, ofTeamSession, type TeamFilter } from "./team-filter.ts";

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
  cost: "coalesce(t.cost, 0)",
  tokens: "coalesce(t.tokens, 0)",
  messages: "s.message_count",
  title: "lower(s.title)",
};

/** All sessions' sums, for an order by them. */
const TOTALS = `LEFT JOIN (SELECT file_id, sum(cost) AS cost, sum(total_tokens) AS tokens
  FROM sessiondb_team.usage_quarters GROUP BY 1) t ON t.file_id = s.file_id`;

/** Sums of single sessions: by the author first, because keys begin so. */
const SUMS = `LATERAL (SELECT sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
    sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost, sum(q.requests) AS requests
  FROM sessiondb_team.usage_quarters q WHERE q.author = s.author AND q.file_id = s.file_id`;

const NUMBERS = ["input", "output", "cache_read", "cache_write", "total_tokens", "cost", "requests"];
const numbersOf = (table: string): string =>
  NUMBERS.map((name) => `coalesce(${table}.${name}, 0) AS ${table}_${name}`).join(", ");

const ALL = numbersOf("a");
const INHERITED = numbersOf("i");
const WITH_SUMS = `SELECT ${COLUMNS}, ${ALL}, ${INHERITED} FROM s LEFT JOIN ${SUMS}) a ON true
  LEFT JOIN ${SUMS} AND q.counted = 0) i ON true ORDER BY s.place`;

/** Sessions with their totals; `total` counts all that match. @throws SessionDbError as `teamError` */
export async function listTeamSessions(
  client: TeamClient,
  options: TeamListOptions = {},
): Promise<{ total: number; sessions: TeamSession[] }> {
  const { filter = {}, limit = 0, offset = 0, sort = { key: "modified", descending: true } } = options;
  const where = numbered(conditionsOf(options, filter));
  const isByCost = sort.key === "cost" || sort.key === "tokens";
  const direction = sort.descending ? "DESC NULLS LAST" : "ASC NULLS FIRST";
  const rows = await client.query<Row>(
    [
      `WITH s AS MATERIALIZED (SELECT ${COLUMNS}, row_number() OVER (ORDER BY`,
      ...[ORDER[sort.key], direction, ", s.author, s.file_id) AS place FROM sessiondb_team.sessions s"],
      ...[
        isByCost ? TOTALS : "",
        where.sql,
        "ORDER BY place",
        limit > 0 ? `LIMIT ${limit}` : "",
        `OFFSET ${offset})`,
      ],
      WITH_SUMS,
    ].join(" "),
    where.values,
  );
  const isAll = limit === 0 && offset === 0;
  const members = await membersOf(client, rows);
  const sessions = rows.map((row) => toSession(row, members));
  return { total: isAll ? rows.length : await count(client, where), sessions };
}

async function count(client: TeamClient, { sql, values }: Condition): Promise<number> {
  const [row] = await client.query<{ total: number }>(
    ["SELECT count(*) AS total FROM sessiondb_team.sessions s", sql].join(" "),
    values,
  );
  return row?.total ?? 0;
}

function conditionsOf({ allSessions }: TeamListOptions, filter: TeamFilter): Condition[] {
  const isFolded = !allSessions && filter.origin !== "subagent";
  return [
    ...(isFolded ? [{ sql: "s.root_file_id = s.file_id", values: [] }] : []),
    ...ofTeamSession(filter),
    ...ofRequests(filter),
  ];
}

/** What of a filter one and the same request must meet; a time also the last activity. */
function ofRequests(filter: TeamFilter): Condition[] {
  const { model, provider } = filter;
  const time = inTime("u.timestamp", filter);
  const conditions = [
    ...(model === undefined ? [] : [containsText("u.model", model)]),
    ...(provider === undefined ? [] : [isOfProvider("u.provider", provider)]),
    ...time,
  ];
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

type Row = Record<string, number> & {
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
};

type Members = ReadonlyMap<number, TeamSession["subagents"]>;

const MEMBERS = `SELECT s.root_file_id AS root, count(*) AS sessions, coalesce(sum(m.cost), 0) AS cost
  FROM sessiondb_team.sessions s LEFT JOIN ${SUMS} AND q.counted = 1) m ON true
  WHERE s.root_file_id = ANY ($1) AND s.file_id <> s.root_file_id GROUP BY 1`;

/** Sessions of sub-agents that belong to those that are listed. */
async function membersOf(client: TeamClient, rows: readonly Row[]): Promise<Members> {
  if (rows.length === 0) return new Map();
  const found = await client.query<{ root: number; sessions: number; cost: number }>(MEMBERS, [
    rows.map((row) => row.file_id),
  ]);
  return new Map(found.map(({ root, ...subagents }) => [root, subagents]));
}

function toSession(row: Row, members: Members): TeamSession {
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
    usage: sumsOf(row, "a"),
    inherited: sumsOf(row, "i"),
  };
}

function sumsOf(row: Row, of: string): Sums {
  const at = (name: string) => row[`${of}_${name}`] ?? 0;
  return {
    input: at("input"),
    output: at("output"),
    cacheRead: at("cache_read"),
    cacheWrite: at("cache_write"),
    totalTokens: at("total_tokens"),
    cost: at("cost"),
    requests: at("requests"),
  };
}
