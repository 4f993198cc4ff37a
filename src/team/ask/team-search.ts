import { SessionDbError } from "../../errors.ts";
import type { Filter } from "../../filters/filter.ts";
import { type Condition, inTime, isUpon, notAllOf } from "../../filters/where.ts";
import { type Found, groupCopies, inOrder } from "../../search/find/matches.ts";
import type { SearchResult } from "../../search/hits/hit.ts";
import { parseSearchQuery, type SearchQuery } from "../../search/query/search-query.ts";
import type { SearchSort } from "../../search/query/search-sort.ts";
import { limitOf, type ReadQuery } from "../../search/search.ts";
import type { TeamClient } from "../connect.ts";
import { numbered, ofTeamRequest, ofTeamSession, type TeamFilter } from "./team-filter.ts";
import { type FoundEntry, readTeamHits, type TeamHit } from "./team-hits.ts";
import { toTsquery } from "./tsquery.ts";

/** What can be asked of entries that a team can search, beside what can be asked of sessions. */
export type TeamSearchFilter = TeamFilter & Pick<Filter, "role" | "type">;

export interface TeamSearchResult extends Pick<SearchResult, "query" | "isTotalExact" | "totalIs"> {
  /** Hits: an entry and its copies are one. Where there may be more than were looked at, as many as were. */
  total: number;
  hits: TeamHit[];
}

export interface TeamSearch {
  read: ReadQuery;
  author?: string;
}

/** Of more entries that match, only the newest are looked at, and none is better than another: as in an index. */
const RANKED_HITS = 10_000;

/**
 * Searches what was said in sessions of which the text has left a device. The words, phrases and exclusions of a query find what
 * they find in an index.
 *
 * @throws SessionDbError `usage` for a query that only leaves out, and conditions that a team's data do not know; as `teamError`
 */
export async function searchTeam(
  client: TeamClient,
  { read, author }: TeamSearch,
): Promise<TeamSearchResult> {
  const { query, words, wanted } = read;
  const parsed = parseSearchQuery(words);
  const { filter = {}, without = [], sort = "relevance" } = wanted;
  const conditions = [
    ...meeting({ ...knownOf(filter), ...(author !== undefined && { author }) }),
    ...without.flatMap((each) => notAllOf([...meeting(knownOf(each)), ...inTime("e.timestamp", each)])),
  ];
  if (parsed === null) return { query, total: 0, isTotalExact: true, totalIs: "exact", hits: [] };
  const limit = limitOf(wanted);
  const { found, rows, hasMore } = await find(client, parsed, { filter, conditions, sort, limit });
  const groups = groupCopies(inOrder(found, sort));
  const shown = groups.slice(0, limit).map((group) => group.flatMap(({ key }) => rows[key] ?? []));
  const hits = await readTeamHits(client, shown, { query: parsed, reveal: wanted.reveal === true });
  return {
    query,
    total: groups.length,
    isTotalExact: !hasMore,
    totalIs: hasMore ? "atLeast" : "exact",
    hits,
  };
}

interface Finding {
  filter: Filter;
  conditions: Condition[];
  sort: SearchSort;
  limit: number;
}

const KEYS = 'e.author, e.file_id, e."offset", e.entry_id, e.type, e.role, e.tool_name, e.timestamp';

/** Entries in one part, and those in several, of which it is to be said how it depends on the parts. */
const FOUND = `WITH e AS (
  SELECT ${KEYS}, e.score FROM sessiondb_team.find_text_v1($6::tsquery, $1, $2, $3, $4, $5::tsquery) e UNION ALL
  SELECT ${KEYS}, max(e.score) FROM unnest($7::text[]) WITH ORDINALITY q(query, nth),
    sessiondb_team.find_text_v1(q.query::tsquery, $1, $2, NULL, $4, $5::tsquery) e
  GROUP BY ${KEYS} HAVING`;
const SHOWN = `SELECT ${KEYS}, e.score FROM e`;

async function find(
  client: TeamClient,
  query: SearchQuery,
  { filter, conditions, sort, limit }: Finding,
): Promise<{ found: Found[]; rows: FoundEntry[]; hasMore: boolean }> {
  const { whole, parted, wanted, condition } = toTsquery(query);
  const most = Number.isFinite(limit) && limit < RANKED_HITS / 2 ? RANKED_HITS + 1 : null;
  // Only where nothing else is asked of them are the newest that match the newest hits.
  const ofParts = conditions.length === 0 ? most : null;
  const values = [
    filter.since ?? null,
    filter.until ?? null,
    ofParts,
    sort === "oldest",
    sort === "relevance" ? wanted : null,
  ];
  const where = numbered(conditions, values.length + 2);
  const join = isUpon("s", where) ? "JOIN sessiondb_team.sessions s ON s.file_id = e.file_id" : "";
  const holds = condition((nth) => `bool_or(q.nth = ${nth})`);
  const newest = sort === "oldest" ? "" : "DESC";
  const rows = await client.query<FoundEntry>(
    [
      ...[FOUND, holds, ")", SHOWN, join, where.sql],
      ...["ORDER BY coalesce(e.timestamp, 0)", newest, most === null ? "" : `LIMIT ${most}`],
    ].join(" "),
    [...values, whole, parted, ...where.values],
  );
  const hasMore = most !== null && rows.length === most;
  const found = rows.map(({ timestamp, entry_id, score }, key) => ({
    key,
    timestamp,
    entryId: entry_id,
    score: hasMore ? 0 : score,
  }));
  return { found, rows, hasMore };
}

const UNKNOWN = ["tool", "label", "named", "has"] as const;

/** A filter as far as a team's data know of it. @throws SessionDbError `usage` */
function knownOf(filter: Filter): TeamSearchFilter {
  const unknown = UNKNOWN.find((key) => filter[key] !== undefined);
  if (unknown === undefined) return filter;
  throw new SessionDbError("usage", `${unknown}: cannot be asked of a team`, {
    hint: "Its data do not know it; an index does, without --team.",
  });
}

/** What a filter says of an entry `e` and its session `s`, time aside. */
function meeting(filter: TeamSearchFilter): Condition[] {
  const { role, type } = filter;
  return [
    ...ofTeamSession(filter),
    ...(role === undefined ? [] : [{ sql: "e.role = ?", values: [role] }]),
    ...(type === undefined ? [] : [{ sql: "e.type = ?", values: [type] }]),
    ...ofRequest(filter),
  ];
}

/** Of which model an entry is, its usage says. */
function ofRequest(filter: TeamSearchFilter): Condition[] {
  const conditions = ofTeamRequest(filter);
  if (conditions.length === 0) return [];
  const all = conditions.map(({ sql }) => `AND (${sql})`).join(" ");
  return [
    {
      sql: `EXISTS (SELECT 1 FROM sessiondb_team.usage u
        WHERE u.author = e.author AND u.file_id = e.file_id AND u."offset" = e."offset" ${all})`,
      values: conditions.flatMap(({ values }) => values),
    },
  ];
}
