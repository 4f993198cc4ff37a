import { isFolderGone } from "../files/folder.ts";
import { isPackedName } from "../files/session-path.ts";
import type { Filter } from "../filters/filter.ts";
import {
  type Condition,
  inRootsIfNeeded,
  inTime,
  isLabel,
  isUpon,
  ofEntry,
  ofSession,
  PROJECT,
  whereClause,
} from "../filters/where.ts";
import type { Sums } from "../format/usage.ts";
import type { Database } from "../store/native.ts";
import type { Index } from "../store/open.ts";
import { inOneState, prepared } from "../store/statements.ts";
import { isoOrNull, toIso } from "../time/calendar.ts";
import type { Session, SessionList, SessionSortKey } from "./answers.ts";
import { inheritedWithin } from "./usage/counted.ts";

/**
 * What a filter says of the sessions that are listed; for queries over `sessions s`. All that it says of entries one and
 * the same entry must meet. A label alone, or a time alone, is told by smaller tables than that of the entries.
 */
function sessionConditions(database: Database, filter: Filter): Condition[] {
  const { label, since, until, ...rest } = filter;
  const others = ofEntry(rest);
  const time = since ?? until;
  const asked = [label, time, ...others].filter((each) => each !== undefined);
  const conditions = ofSession(filter);
  if (asked.length > 1) {
    conditions.push(isAmongThoseOf(database, [...ofEntry(filter), ...inTime("e.timestamp", filter)]));
  } else if (label !== undefined) conditions.push(hasLabel(label));
  else if (time !== undefined) conditions.push(isOfTime(database, filter));
  else if (rest.model !== undefined || rest.provider !== undefined) {
    conditions.push(isAmongThoseOf(database, others));
  } else conditions.push(...others.map(hasEntry));
  return conditions;
}

/**
 * Looks at all entries once, and before the sessions: few entries meet several conditions, a time or a model, and looking
 * for them session by session takes twice as long, in each of the three statements of a list.
 */
function isAmongThoseOf(database: Database, entries: Condition[]): Condition {
  const { sql, values } = whereClause(entries);
  // Without the plus SQLite would go by an index, and look up each entry from there.
  const found = `SELECT json_group_array(id) FROM (SELECT DISTINCT +e.file_id AS id FROM entries e ${sql})`;
  const ids = String(database.prepare(found).pluck().get(values));
  return { sql: "s.file_id IN (SELECT value FROM json_each(?))", values: [ids] };
}

/** Most sessions have an entry that meets one condition, near their beginning. */
function hasEntry({ sql, values }: Condition): Condition {
  return { sql: `EXISTS (SELECT 1 FROM entries e WHERE e.file_id = s.file_id AND (${sql}))`, values };
}

/** Whether a session's last activity, or one of its entries, lies in the time. */
function isOfTime(database: Database, filter: Filter): Condition {
  const active = inTime("s.modified_at", filter);
  const said = isAmongThoseOf(database, inTime("e.timestamp", filter));
  return {
    sql: `${active.map(({ sql }) => sql).join(" AND ")} OR ${said.sql}`,
    values: [...active.flatMap(({ values }) => values), ...said.values],
  };
}

function hasLabel(label: string): Condition {
  const { sql, values } = isLabel(label);
  return { sql: `EXISTS (SELECT 1 FROM labels l WHERE l.file_id = s.file_id AND ${sql})`, values };
}

export interface ListOptions {
  filter?: Filter;
  /** Sessions of sub-agents, too, which else stand under the session that they belong to. */
  allSessions?: boolean;
  /** Only sessions below these folders. */
  roots?: string[];
  /** Last active first unless told. */
  sort?: { key: SessionSortKey; descending: boolean };
  /** 0 or nothing: all. */
  limit?: number;
  /** How many of the first are left out. */
  offset?: number;
}

/** Sessions of sub-agents that belong to a session. */
const MEMBERS = "sessions c WHERE c.root_file_id = s.file_id AND c.file_id <> s.file_id";

const COLUMNS = `s.file_id AS fileId, s.session_id AS id, f.path, f.real_path AS realPath, s.cwd, ${PROJECT} AS project, s.name, s.title, m.text AS firstMessage,
  s.created_at AS createdAt,
  s.modified_at AS modifiedAt, s.message_count AS messageCount, s.entry_count AS entryCount,
  s.branch_count AS branchCount, s.leaf_id AS leafId, s.version, s.origin, s.parent_session AS parentSessionPath,
  coalesce((SELECT p.path FROM files p WHERE p.id = s.parent_file_id), s.parent_path) AS parentPath,
  iif(s.root_file_id = s.file_id, f.path, (SELECT r.path FROM files r WHERE r.id = s.root_file_id)) AS rootPath,
  s.agent, (SELECT count(*) FROM ${MEMBERS}) AS members,
  (SELECT total(c.cost - c.inherited_cost) FROM ${MEMBERS}) AS membersCost,
  s.models, f.size AS sizeBytes, s.input, s.output, s.cache_read AS cacheRead, s.cache_write AS cacheWrite,
  s.total_tokens AS totalTokens, s.cost, s.requests, s.inherited_input AS inheritedInput,
  s.inherited_output AS inheritedOutput, s.inherited_cache_read AS inheritedCacheRead,
  s.inherited_cache_write AS inheritedCacheWrite, s.inherited_total_tokens AS inheritedTotalTokens,
  s.inherited_cost AS inheritedCost, s.inherited_requests AS inheritedRequests`;

const FROM = `FROM sessions s JOIN files f ON f.id = s.file_id LEFT JOIN messages m ON m.entry_key = s.first_message_key`;

const ORDER: Record<SessionSortKey, string> = {
  modified: "s.modified_at",
  created: "s.created_at",
  cost: "s.cost",
  tokens: "s.total_tokens",
  messages: "s.message_count",
  size: "f.size",
  title: "s.title COLLATE NOCASE",
};

/** Sessions with their totals, from the index as it stands. `total` counts all that match. */
export function listSessions(index: Index, options: ListOptions = {}): SessionList {
  const { database } = index;
  // One state of the index for all questions, whoever writes to it meanwhile.
  return inOneState(database, () => list(database, options));
}

function list(database: Database, options: ListOptions): SessionList {
  const { roots, filter = {}, sort = { key: "modified", descending: true } } = options;
  const bounds = inRootsIfNeeded(database, roots);
  const isFolded = !options.allSessions && filter.origin !== "subagent";
  const conditions = [
    ...bounds,
    ...(isFolded ? [{ sql: "s.root_file_id = s.file_id", values: [] }] : []),
    ...sessionConditions(database, filter),
  ];
  const { offset = 0 } = options;
  const limit = options.limit ? options.limit : -1;
  const direction = sort.descending ? "DESC" : "ASC";
  const where = whereClause([
    ...conditions,
    ...amongFirst(database, conditions, { count: limit < 0 ? 0 : offset + limit, direction, key: sort.key }),
  ]);
  const chosen = `${FROM} ${where.sql} ORDER BY ${ORDER[sort.key]} ${direction}, f.path LIMIT ? OFFSET ?`;
  const values = [...where.values, limit, offset];
  const rows = database.prepare(`SELECT ${COLUMNS} ${chosen}`).iterate(...values) as Iterable<SessionRow>;
  const asked = { sql: `u.file_id IN (SELECT s.file_id ${chosen})`, values };
  const sessions = Array.from(rows, sessionsWithin(database, bounds, asked));
  const isAll = limit < 0 && offset === 0;
  return { total: isAll ? sessions.length : countSessions(database, whereClause(conditions)), sessions };
}

/**
 * A condition that only the first sessions by time meet, with all of the same time as the last of them. An SQL index gives
 * that time at once, and then only these few have to be sorted by path as well.
 */
function amongFirst(
  database: Database,
  conditions: Condition[],
  { count, direction, key }: { count: number; direction: "ASC" | "DESC"; key: SessionSortKey },
): Condition[] {
  if (count === 0 || key !== "modified") return [];
  const where = whereClause(conditions);
  const last = database
    .prepare(
      `SELECT s.modified_at ${narrowFrom(where)} ${where.sql} ORDER BY s.modified_at ${direction} LIMIT 1 OFFSET ?`,
    )
    .pluck()
    .get(...where.values, count - 1);
  if (typeof last !== "number") return [];
  return [{ sql: `s.modified_at ${direction === "DESC" ? ">=" : "<="} ?`, values: [last] }];
}

/** Joins only the tables that the conditions ask about. */
function narrowFrom(where: Condition): string {
  return isUpon("f", where) ? "FROM sessions s JOIN files f ON f.id = s.file_id" : "FROM sessions s";
}

/** One session by its file, in a report about these roots; undefined when it is none, or gone. */
export function readListedSession(
  index: Index,
  fileId: number,
  roots: string[] | undefined,
): Session | undefined {
  return inOneState(index.database, () => read(index.database, fileId, roots));
}

function read(database: Database, fileId: number, roots: string[] | undefined): Session | undefined {
  const row = prepared(database, `SELECT ${COLUMNS} ${FROM} WHERE s.file_id = ?`).get(fileId);
  if (row === undefined) return undefined;
  const asked = { sql: "u.file_id = ?", values: [fileId] };
  return sessionsWithin(database, inRootsIfNeeded(database, roots), asked)(row as SessionRow);
}

const DESCENDANTS = `WITH RECURSIVE family(file_id) AS (
    SELECT file_id FROM sessions WHERE parent_file_id = @fileId AND origin = 'subagent'
    UNION SELECT s.file_id FROM family p JOIN sessions s ON s.parent_file_id = p.file_id WHERE s.origin = 'subagent')
  SELECT file_id FROM family WHERE file_id <> @fileId ORDER BY file_id`;

/** Sessions of the sub-agents of a session, and of theirs. */
export function readSubagents(index: Index, fileId: number, roots: string[] | undefined): Session[] {
  const { database } = index;
  return inOneState(database, () =>
    (database.prepare(DESCENDANTS).pluck().all({ fileId }) as number[]).flatMap(
      (id) => read(database, id, roots) ?? [],
    ),
  );
}

/**
 * Makes sessions of rows. Inherited is what is counted in another session within these bounds. `asked` is a condition for
 * `usage u` that is of one of these rows.
 */
function sessionsWithin(
  database: Database,
  bounds: Condition[],
  asked: Condition,
): (row: SessionRow) => Session {
  const inherited = inheritedWithin(database, bounds, [asked]);
  const gone = new Map<string, boolean>();
  return (row) => {
    // Many sessions have one folder, which is looked at once.
    const isGone = (folder: string): boolean => {
      if (!gone.has(folder)) gone.set(folder, isFolderGone(folder));
      return gone.get(folder) === true;
    };
    const session = toSession(row, isGone);
    session.inherited = inherited(row.fileId) ?? session.inherited;
    return session;
  };
}

function countSessions(database: Database, where: Condition): number {
  const count = database.prepare(`SELECT count(*) ${narrowFrom(where)} ${where.sql}`).pluck();
  return Number(count.get(...where.values));
}

interface SessionRow
  extends Omit<
      Session,
      | "archived"
      | "createdAt"
      | "modifiedAt"
      | "isCwdGone"
      | "resumeCwd"
      | "models"
      | "usage"
      | "inherited"
      | "subagents"
    >,
    Sums,
    InheritedSums {
  fileId: number;
  realPath: string;
  members: number;
  membersCost: number;
  /** Unix ms. */
  createdAt: number | null;
  modifiedAt: number;
  /** A JSON array. */
  models: string;
}

type InheritedSums = { [Name in keyof Sums as `inherited${Capitalize<Name>}`]: number };

function toSession(row: SessionRow, isGone: (folder: string) => boolean): Session {
  const { input, output, cacheRead, cacheWrite, totalTokens, cost, requests } = row;
  return {
    id: row.id,
    path: row.path,
    archived: isPackedName(row.realPath),
    cwd: row.cwd,
    project: row.project,
    isCwdGone: isGone(row.cwd),
    resumeCwd: [row.cwd, row.project].find((folder) => folder !== "" && !isGone(folder)) ?? null,
    name: row.name,
    title: row.title,
    firstMessage: row.firstMessage,
    createdAt: isoOrNull(row.createdAt),
    modifiedAt: toIso(row.modifiedAt),
    messageCount: row.messageCount,
    entryCount: row.entryCount,
    branchCount: row.branchCount,
    leafId: row.leafId,
    version: row.version,
    origin: row.origin,
    parentSessionPath: row.parentSessionPath,
    parentPath: row.parentPath,
    rootPath: row.rootPath,
    agent: row.agent,
    subagents: { sessions: row.members, cost: row.membersCost },
    models: JSON.parse(row.models) as string[],
    sizeBytes: row.sizeBytes,
    usage: { input, output, cacheRead, cacheWrite, totalTokens, cost, requests },
    inherited: {
      input: row.inheritedInput,
      output: row.inheritedOutput,
      cacheRead: row.inheritedCacheRead,
      cacheWrite: row.inheritedCacheWrite,
      totalTokens: row.inheritedTotalTokens,
      cost: row.inheritedCost,
      requests: row.inheritedRequests,
    },
  };
}
