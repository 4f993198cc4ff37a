import type { IndexLocation } from "../../store/location.ts";
import { type Index, openIndex } from "../../store/open.ts";
import { type BodyPlace, PLACE_COLUMNS, readBody } from "../../store/tables/entry-bodies.ts";
import {
  readRows,
  type SqlBatch,
  type SqlLimits,
  type SqlParameters,
  type SqlValue,
  withIntegers,
} from "./sql-rows.ts";

const PLACE = `SELECT ${PLACE_COLUMNS}
  FROM entries e JOIN files f ON f.id = e.file_id JOIN sessions s ON s.file_id = e.file_id WHERE e.key = ?`;

/**
 * Gives the statements of a connection `entry_json(key)`: the line of an entry as it stands in its session file,
 * NULL when there is no such entry or the file has something else there by now. Files are read by their place in
 * the index only, never by a name from a statement.
 */
function addEntryJson(index: Index): { close(): void } {
  // A connection that is answering a statement cannot run another one.
  let second: Index | undefined;
  let place: ((key: number) => unknown) | undefined;
  index.database.function("entry_json", { directOnly: true }, (key: unknown) => {
    if (typeof key !== "number" && typeof key !== "bigint") return null;
    if (place === undefined) {
      second = openIndex(index.location, { readonly: true });
      const statement = second.database.prepare(PLACE);
      place = (wanted) => statement.get(wanted);
    }
    const found = place(Number(key)) as BodyPlace | undefined;
    return found === undefined ? null : (readBody(found)?.bytes.toString("utf8") ?? null);
  });
  return { close: () => second?.close() };
}

/**
 * Runs one statement that reads on a connection of its own, and gives its rows batch by batch.
 *
 * @throws SessionDbError as `readRows` and `openIndex`
 */
export function* answerIn(
  location: IndexLocation,
  sql: string,
  { parameters, ...limits }: SqlLimits & { parameters?: SqlParameters | undefined },
): Generator<SqlBatch, void, undefined> {
  const index = openIndex(location, { readonly: true });
  const entryJson = addEntryJson(index);
  try {
    yield* readRows(index.database, sql, parameters, limits);
  } finally {
    entryJson.close();
    index.close();
  }
}

export interface SqlRow {
  [column: string]: SqlValue;
}

/** What a statement answers. */
export interface SqlResult {
  /** Their names in order, also where there are no rows; told apart by a number where they repeat. */
  columns: string[];
  rows: SqlRow[];
  /** There were more rows than `limit`. */
  truncated: boolean;
}

/**
 * Runs one read-only statement over the index, in this process and however long it takes.
 * Columns of one name are told apart: `id`, `id_2`. Parameters that are whole numbers are integers.
 *
 * @throws SessionDbError `refused` for anything that could do more than read, `sql` for what SQLite rejects,
 *   and as `openIndex`
 */
export function runSql(
  location: IndexLocation,
  sql: string,
  options: SqlLimits & { parameters?: SqlParameters } = {},
): SqlResult {
  const result: SqlResult = { columns: [], rows: [], truncated: false };
  const parameters = options.parameters && withIntegers(options.parameters);
  for (const batch of answerIn(location, sql, { ...options, parameters })) {
    result.columns = distinctNames(batch.columns);
    for (const row of batch.rows) result.rows.push(toObject(result.columns, row));
    result.truncated = batch.truncated;
  }
  return result;
}

/** Names that differ: what repeats gets a number. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let number = 2; taken.has(distinct); number++) distinct = `${name}_${number}`;
    taken.add(distinct);
    return distinct;
  });
}

/** A row under the names of its columns, which must be distinct. */
export function toObject(columns: readonly string[], row: readonly SqlValue[]): SqlRow {
  return Object.fromEntries(columns.map((name, place) => [name, row[place] ?? null]));
}
