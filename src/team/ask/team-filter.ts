import type { Filter } from "../../filters/filter.ts";
import { type Condition, inTime, isOfProvider, isUpon, whereClause } from "../../filters/where.ts";
import { QUARTER_MS, quarterOf } from "../../store/tables/usage-buckets.ts";

/** What can be asked of a team's data: less than of an index, because less of a session leaves a device. */
export interface TeamFilter
  extends Pick<Filter, "session" | "since" | "until" | "model" | "provider" | "origin"> {
  /** A part of a project's name, or of the hash that stands for it; case ignored. */
  project?: string;
  /** The name of a person, case ignored. */
  author?: string;
}

/** What a filter says of a session, and of whoever held it; for queries over `sessions s`. */
export function ofTeamSession({ project, session, origin, author }: TeamFilter): Condition[] {
  const conditions: Condition[] = [];
  if (project !== undefined) conditions.push(containsText("s.project", project));
  if (session !== undefined)
    conditions.push({ sql: "s.session_id = ? OR starts_with(s.session_id, ?)", values: [session, session] });
  if (origin !== undefined) conditions.push({ sql: "s.origin = ?", values: [origin] });
  if (author !== undefined) conditions.push(isBy("s.author", author));
  return conditions;
}

/** What a filter says of usage `u`; `time` is that of a request, for rows of single ones. */
export function ofTeamUsage(filter: TeamFilter, time: string | null): Condition[] {
  const { author, ...ofSession } = filter;
  const conditions = ofTeamSession(ofSession);
  if (author !== undefined) conditions.push(isBy("u.author", author));
  conditions.push(...ofTeamRequest(filter), ...inQuarters(filter));
  return time === null ? conditions : [...conditions, ...inTime(time, filter)];
}

/** Which model a request `u` has asked, and of whom. */
export function ofTeamRequest({ model, provider }: TeamFilter): Condition[] {
  return [
    ...(model === undefined ? [] : [containsText("u.model", model)]),
    ...(provider === undefined ? [] : [isOfProvider("u.provider", provider)]),
  ];
}

/** The quarters of an hour in which a time lies, of which there is an index. */
function inQuarters({ since, until }: TeamFilter): Condition[] {
  return [
    ...(since === undefined ? [] : [{ sql: "u.quarter >= ?", values: [quarterOf(since)] }]),
    ...(until === undefined ? [] : [{ sql: "u.quarter < ?", values: [Math.ceil(until / QUARTER_MS)] }]),
  ];
}

function isBy(column: string, author: string): Condition {
  return { sql: `lower(${column}) = lower(?)`, values: [author] };
}

/** Case ignored; no pattern characters. */
function containsText(column: string, part: string): Condition {
  return { sql: `strpos(lower(${column}), lower(?)) > 0`, values: [part] };
}

/** Sessions are joined only where the SQL asks about them. */
export function joinForSessions(sql: string): string {
  return isUpon("s", { sql }) ? "JOIN sessiondb_team.sessions s ON s.file_id = u.file_id" : "";
}

/** A WHERE clause with PostgreSQL's own placeholders, after those that stand in the statement already. */
export function numbered(conditions: Condition[], before = 0): Condition {
  const { sql, values } = whereClause(conditions);
  let at = before;
  return { sql: sql.replace(/\?/g, () => `$${++at}`), values };
}
