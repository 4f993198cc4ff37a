import { codeOf, isSqliteError, messageOf, SessionDbError } from "../../errors.ts";
import type { Database } from "../../store/native.ts";
import { damaged, isDamage, isOutOfRoom } from "../../store/sqlite-errors.ts";
import { assertReads, refused } from "./read-only-gate.ts";

/** Finds numbered parameters. It matches strings, quoted names and comments, too: what looks like one in them is none. */
const NUMBERED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?(\d+)/g;

/**
 * Values as better-sqlite3 takes them: first those without a name, then those by name. It takes `?1` for a parameter with
 * the name `1`, so the value for it is given by that name.
 */
function boundValues(sql: string, { positional = [], named }: SqlParameters): unknown[] {
  const numbers = new Set([...sql.matchAll(NUMBERED)].flatMap(([, number]) => number ?? []));
  const numbered = [...numbers].flatMap((number): [string, SqlValue][] => {
    const value = positional[Number(number) - 1];
    return value === undefined ? [] : [[number, value]];
  });
  const places = new Set(numbered.map(([number]) => Number(number) - 1));
  const others = positional.filter((_value, place) => !places.has(place));
  if (named === undefined && numbered.length === 0) return others;
  return [...others, { ...named, ...Object.fromEntries(numbered) }];
}

/** The values with whole numbers as SQLite's integers: it takes any other of JavaScript's for a REAL, `2` for 2.0. */
export function withIntegers({ positional, named }: SqlParameters): SqlParameters {
  return {
    ...(positional !== undefined && { positional: positional.map(asInteger) }),
    ...(named !== undefined && {
      named: Object.fromEntries(Object.entries(named).map(([name, value]) => [name, asInteger(value)])),
    }),
  };
}

/** Of the two zeros only the REAL one can be negative. */
function asInteger(value: SqlValue): SqlValue {
  return typeof value === "number" && Number.isSafeInteger(value) && !Object.is(value, -0)
    ? BigInt(value)
    : value;
}

/** What SQLite can hold, and what can be bound to a parameter. Integers beyond 2^53 are bigints. */
export type SqlValue = null | number | bigint | string | Uint8Array;

export interface SqlParameters {
  /** For `?` in order, for `?1` by its number. */
  positional?: readonly SqlValue[];
  /** For `:name`, `@name` and `$name`, by name. */
  named?: Readonly<Record<string, SqlValue>>;
}

export interface SqlLimits {
  /** Rows; 0 or nothing: all. */
  limit?: number;
  /** Characters of a text, bytes of a blob; 0 or nothing: all. */
  cellLimit?: number;
}

/** A stretch of an answer. */
export interface SqlBatch {
  columns: string[];
  rows: SqlValue[][];
  /** Cells of the batch that were cut at `cellLimit`. */
  cut: number;
  /** There are more rows than `limit`, and this is the last batch. */
  truncated: boolean;
}

/** A batch is sent on when it holds so many rows, or about so many characters. */
const BATCH_ROWS = 500;
const BATCH_SIZE = 1024 * 1024;

/**
 * Runs one statement that reads, and gives its rows batch by batch. There is always a last batch, which may be empty.
 *
 * @throws SessionDbError `refused` for anything that could do more than read, `sql` for what SQLite rejects,
 *   `index_corrupt`, `io` where a large sort finds no room
 */
export function* readRows(
  database: Database,
  sql: string,
  parameters: SqlParameters = {},
  limits: SqlLimits = {},
): Generator<SqlBatch, void, undefined> {
  assertReads(sql);
  try {
    yield* batches(database, sql, parameters, limits);
  } catch (error) {
    throw isDamage(codeOf(error)) ? damaged(database.name, error) : toSqlError(error);
  }
}

function* batches(
  database: Database,
  sql: string,
  parameters: SqlParameters,
  { limit = 0, cellLimit = 0 }: SqlLimits,
): Generator<SqlBatch, void, undefined> {
  const statement = database.prepare(sql);
  if (!statement.reader || !statement.readonly) throw refused();
  statement.raw().safeIntegers();
  const columns = statement.columns().map((column) => column.name);
  let batch = new Batch(columns, cellLimit);
  let count = 0;
  for (const row of statement.iterate(...boundValues(sql, parameters)) as Iterable<SqlValue[]>) {
    if (limit > 0 && count === limit) {
      yield { ...batch.content(), truncated: true };
      return;
    }
    batch.add(row);
    count++;
    if (!batch.isFull()) continue;
    yield batch.content();
    batch = new Batch(columns, cellLimit);
  }
  yield batch.content();
}

/** Rows of an answer, until there are enough to be sent on. */
export class Batch {
  readonly #columns: string[];
  readonly #cellLimit: number;
  readonly #rows: SqlValue[][] = [];
  #size = 0;
  #cut = 0;

  constructor(columns: string[], cellLimit: number) {
    this.#columns = columns;
    this.#cellLimit = cellLimit > 0 ? cellLimit : Number.POSITIVE_INFINITY;
  }

  add(row: readonly SqlValue[]): void {
    this.#rows.push(row.map((value) => this.#cell(value)));
  }

  isFull(): boolean {
    return this.#rows.length >= BATCH_ROWS || this.#size >= BATCH_SIZE;
  }

  content(): SqlBatch {
    return { columns: this.#columns, rows: this.#rows, cut: this.#cut, truncated: false };
  }

  #cell(value: SqlValue): SqlValue {
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    if (typeof value !== "string" && !(value instanceof Uint8Array)) return value;
    this.#size += Math.min(value.length, this.#cellLimit);
    if (value.length <= this.#cellLimit) return value;
    this.#cut++;
    const beginning = value.slice(0, this.#cellLimit);
    // A half of a surrogate pair at the end is left out.
    return typeof beginning === "string" ? beginning.replace(/[\ud800-\udbff]$/, "") : beginning;
  }
}

function toSqlError(error: unknown): unknown {
  if (error instanceof SessionDbError) return error;
  const code = codeOf(error);
  // A statement that only reads needs the disk only to sort.
  if (isOutOfRoom(code) || code === "SQLITE_IOERR_GETTEMPPATH") {
    return new SessionDbError("io", `no space left for what the statement sorts (${code})`, {
      cause: error,
      hint: "Name a folder that has space: TMPDIR=FOLDER sessiondb sql ...",
    });
  }
  if (isSqliteError(error)) {
    return new SessionDbError("sql", messageOf(error), {
      cause: error,
      hint: "`sessiondb schema` lists the tables, views and columns.",
    });
  }
  // Errors of better-sqlite3's own have no code.
  if (!(error instanceof RangeError || error instanceof TypeError)) return error;
  if (/more than one statement/.test(error.message)) return refused();
  if (/contains no statements/.test(error.message)) return refused();
  if (!/parameter|\bbound\b/.test(error.message)) return error;
  return new SessionDbError("sql", `the values do not fit the statement's parameters: ${error.message}`, {
    cause: error,
    hint: "Each ? takes a value, each :name one by its name.",
  });
}
