import type { Database } from "../store/native.ts";
import { type Condition, inTime, isLabel, ofEntry, ofSession, whereClause } from "./conditions.ts";
import type { Filter } from "./filter.ts";

/**
 * What a filter says of the sessions that are listed; for queries over `sessions s`. All that it says of entries one and
 * the same entry must meet. A label alone, or a time alone, is told by smaller tables than that of the entries.
 */
export function sessionConditions(database: Database, filter: Filter): Condition[] {
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
