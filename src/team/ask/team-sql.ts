import type { CustomTypesConfig, QueryArrayConfig, QueryArrayResult } from "pg";
import { codeOf, messageOf, SessionDbError } from "../../errors.ts";
import { assertReads, refused } from "../../reports/sql/read-only-gate.ts";
import {
  Batch,
  type SqlBatch,
  type SqlLimits,
  type SqlParameters,
  type SqlValue,
} from "../../reports/sql/sql-rows.ts";
import { type TeamClient, teamError } from "../connect.ts";

export interface TeamStatement {
  sql: string;
  parameters: SqlParameters;
  limits: SqlLimits;
  /** 0: none. */
  timeoutMs: number;
}

/** Rows that are fetched at a time. */
const FETCHED = 500;

/**
 * Runs one statement that reads, over the views that have the names of those of an index, and gives its rows batch by batch.
 * There is always a last batch. The connection has a transaction open meanwhile, which can do nothing but read.
 *
 * @throws SessionDbError `refused` for anything that could do more than read, `sql` for what PostgreSQL rejects; as `teamError`
 */
export async function* teamRows(
  client: TeamClient,
  { sql, parameters, limits, timeoutMs }: TeamStatement,
): AsyncGenerator<SqlBatch> {
  assertReads(sql);
  const { text, values } = forPostgres(sql, parameters);
  const ask = asking(client, timeoutMs);
  try {
    await ask("START TRANSACTION READ ONLY");
    await ask("SET LOCAL search_path = sessiondb_team, pg_catalog");
    await ask("SET LOCAL TimeZone = 'UTC'");
    await ask(`SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}`);
    // A plan cannot be read by a cursor.
    if (/^\s*EXPLAIN/i.test(text)) yield* batchesOf([await ask(text, values)], limits);
    else {
      await ask(`DECLARE answer NO SCROLL CURSOR FOR ${text}`, values);
      yield* batchesOf(fetched(ask), limits);
    }
  } finally {
    await client.driver.query("ROLLBACK").catch(() => undefined);
  }
}

type Ask = (text: string, values?: readonly unknown[]) => Promise<QueryArrayResult<SqlValue[]>>;

function asking({ driver, place }: TeamClient, timeoutMs: number): Ask {
  return async (text, values = []) => {
    const question: QueryArrayConfig & { queryMode: "extended"; query_timeout: number } = {
      text,
      values: [...values],
      rowMode: "array",
      types: TYPES,
      // One statement at a time: what is behind a semicolon is no part of it.
      queryMode: "extended",
      query_timeout: timeoutMs === 0 ? 0 : timeoutMs + GRACE_MS,
    };
    try {
      return await driver.query<SqlValue[]>(question);
    } catch (error) {
      throw toSqlError(error, place);
    }
  };
}

/** The server ends a statement itself; this is for servers that do not answer. */
const GRACE_MS = 5000;

async function* fetched(ask: Ask): AsyncGenerator<QueryArrayResult<SqlValue[]>> {
  for (;;) {
    const answer = await ask(`FETCH ${FETCHED} FROM answer`);
    yield answer;
    if (answer.rows.length < FETCHED) return;
  }
}

async function* batchesOf(
  answers: Iterable<QueryArrayResult<SqlValue[]>> | AsyncIterable<QueryArrayResult<SqlValue[]>>,
  { limit = 0, cellLimit = 0 }: SqlLimits,
): AsyncGenerator<SqlBatch> {
  let count = 0;
  let columns: string[] = [];
  for await (const { fields, rows } of answers) {
    columns = fields.map(({ name }) => name);
    const batch = new Batch(columns, cellLimit);
    const isCut = limit > 0 && count + rows.length > limit;
    for (const row of isCut ? rows.slice(0, limit - count) : rows) batch.add(row);
    count += rows.length;
    yield { ...batch.content(), truncated: isCut };
    if (isCut) return;
  }
}

/** Types of PostgreSQL, by their numbers. */
const [BOOL, BYTEA, INT8, INT2, INT4, FLOAT4, FLOAT8, NUMERIC] = [16, 17, 20, 21, 23, 700, 701, 1700];

/** As SQLite has them: numbers, texts and blobs; whole numbers that JavaScript cannot hold stay whole. */
const TYPES: CustomTypesConfig = {
  getTypeParser: ((type: number) => {
    if (type === BOOL) return (text: string) => (text === "t" ? 1 : 0);
    if (type === BYTEA) return (text: string) => Buffer.from(text.slice(2), "hex");
    if (type === INT8) return (text: string) => BigInt(text);
    if ([INT2, INT4, FLOAT4, FLOAT8].some((each) => each === type)) return Number;
    if (type === NUMERIC) return (text: string) => (/^-?\d+$/.test(text) ? BigInt(text) : Number(text));
    return String;
  }) as CustomTypesConfig["getTypeParser"],
};

/** What looks like a parameter within strings, quoted names, comments and casts is none. */
const PARAMETER =
  /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|::|(\?)(\d*)|[:@$]([A-Za-z_]\w*)/g;

/**
 * A statement with PostgreSQL's own parameters in the place of those that SQLite takes, as far as there are values for them:
 * a question mark may also be an operator.
 */
export function forPostgres(
  sql: string,
  { positional = [], named = {} }: SqlParameters,
): { text: string; values: readonly SqlValue[] } {
  const values: SqlValue[] = [...positional];
  const places = new Map<string, number>();
  let at = 0;
  const text = sql.replace(PARAMETER, (found, _tag, mark, number, name?: string) => {
    if (mark !== undefined && positional.length > 0) return `$${number === "" ? ++at : number}`;
    if (name === undefined || !Object.hasOwn(named, name)) return found;
    const place = places.get(name) ?? values.push(named[name] ?? null);
    places.set(name, place);
    return `$${place}`;
  });
  return { text, values: values.map((value) => (typeof value === "bigint" ? String(value) : value)) };
}

/** What is wrong with a statement is told as it is said; all else is about the database. */
function toSqlError(error: unknown, place: string): SessionDbError {
  const code = codeOf(error);
  if (code === "25006") return refused();
  if (code === "42501") return new SessionDbError("refused", messageOf(error), { cause: error });
  if (code === "08P01" || /^(22|42)/.test(code))
    return new SessionDbError("sql", messageOf(error), {
      cause: error,
      hint: "A team's views have the names and columns of those of an index; see docs/team.md.",
    });
  return teamError(error, place);
}
