import { type Condition, contains, inTime, isLabel, ofEntry, ofSession, whereClause } from "./conditions.ts";
import type { Filter } from "./filter.ts";

/**
 * What a filter says of the sessions that are listed; for queries over `sessions s`. What it says of entries, one entry must
 * meet; a single condition is told by what stands beside the entries.
 */
export function sessionConditions(filter: Filter): Condition[] {
  const { model, provider, label, since, until, ...rest } = filter;
  const others = ofEntry(rest);
  const time = since ?? until;
  const asked = [model, provider, label, time, ...others].filter((each) => each !== undefined);
  const conditions = ofSession(filter);
  if (asked.length > 1) conditions.push(isAmongThoseOf(ofOneEntry(filter)));
  else if (model !== undefined) conditions.push(usesModel(model));
  else if (provider !== undefined) conditions.push(usesProvider(provider));
  else if (label !== undefined) conditions.push(hasLabel(label));
  else if (time !== undefined) conditions.push(isOfTime(filter));
  else conditions.push(...others.map(hasEntry));
  return conditions;
}

/**
 * Looks at all entries at once: few meet several conditions, or a time, and to look for them one session after the other
 * takes twice as long.
 */
function isAmongThoseOf(entries: Condition[]): Condition {
  const { sql, values } = whereClause(entries);
  return { sql: `s.file_id IN (SELECT e.file_id FROM entries e ${sql})`, values };
}

/** Most sessions have an entry that meets one condition, near their beginning. */
function hasEntry({ sql, values }: Condition): Condition {
  return { sql: `EXISTS (SELECT 1 FROM entries e WHERE e.file_id = s.file_id AND (${sql}))`, values };
}

function ofOneEntry(filter: Filter): Condition[] {
  const { model, provider, ...rest } = filter;
  return [...ofEntry(rest), ...ofModel(filter), ...inTime("e.timestamp", filter)];
}

/** The entry itself is of the model, or it states usage of it. */
function ofModel({ model, provider }: Filter): Condition[] {
  if (model === undefined && provider === undefined) return [];
  const within = (row: string): Condition[] => [
    ...(model === undefined ? [] : [contains(`${row}.model`, model)]),
    ...(provider === undefined ? [] : [{ sql: `${row}.provider = ?`, values: [provider] }]),
  ];
  const said = whereClause(within("k"));
  const spent = whereClause([{ sql: "u.entry_key = e.key", values: [] }, ...within("u")]);
  return [
    {
      sql: `e.kind IN (SELECT k.id FROM entry_kinds k ${said.sql}) OR EXISTS (SELECT 1 FROM usage u ${spent.sql})`,
      values: [...said.values, ...spent.values],
    },
  ];
}

/** Its last activity is, or an entry. */
function isOfTime(filter: Filter): Condition {
  const active = inTime("s.modified_at", filter);
  const said = isAmongThoseOf(inTime("e.timestamp", filter));
  return {
    sql: `${active.map(({ sql }) => sql).join(" AND ")} OR ${said.sql}`,
    values: [...active.flatMap(({ values }) => values), ...said.values],
  };
}

/**
 * The model has answered, or usage of it is stated. `s.models` is an array in JSON; its brackets, quotes and commas are not part
 * of any name.
 */
function usesModel(model: string): Condition {
  const answered = contains("a.value", model);
  const spent = contains("q.model", model);
  return {
    sql: `EXISTS (SELECT 1 FROM json_each(s.models) a WHERE ${answered.sql})
      OR EXISTS (SELECT 1 FROM usage_quarters q WHERE q.file_id = s.file_id AND ${spent.sql})`,
    values: [...answered.values, ...spent.values],
  };
}

function usesProvider(provider: string): Condition {
  return {
    sql: "EXISTS (SELECT 1 FROM usage_quarters q WHERE q.file_id = s.file_id AND q.provider = ?)",
    values: [provider],
  };
}

function hasLabel(label: string): Condition {
  const { sql, values } = isLabel(label);
  return { sql: `EXISTS (SELECT 1 FROM labels l WHERE l.file_id = s.file_id AND ${sql})`, values };
}
