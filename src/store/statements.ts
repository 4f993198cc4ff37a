import type { Database, Statement } from "./native.ts";

/** Statements kept for each connection: questions of one kind differ in their values only. */
const KEPT = 64;

/** They live as long as their connection. */
const kept = new WeakMap<Database, Map<string, Statement>>();

/**
 * The statement for an SQL text, prepared once for each connection: for a query of a tenth of a millisecond, preparing
 * takes as long again. It gives rows as objects; `raw()` or `pluck()` has to be called each time.
 */
export function prepared(database: Database, sql: string): Statement {
  let statements = kept.get(database);
  if (statements === undefined) {
    statements = new Map();
    kept.set(database, statements);
  }
  const known = statements.get(sql);
  if (known !== undefined) return known.pluck(false).raw(false);
  const statement = database.prepare(sql);
  const [oldest] = statements.size < KEPT ? [] : statements.keys();
  if (oldest !== undefined) statements.delete(oldest);
  statements.set(sql, statement);
  return statement;
}

/**
 * One transaction for each connection, which runs what it is given: making one takes 4 us, as long as beginning and
 * ending it.
 */
const transactions = new WeakMap<Database, (read: () => unknown) => unknown>();

/** Returns what `read` returns; all its queries see one state of the databases. */
export function inOneState<T>(database: Database, read: () => T): T {
  let run = transactions.get(database);
  if (run === undefined) {
    run = database.transaction((inside: () => unknown) => inside());
    transactions.set(database, run);
  }
  return run(read) as T;
}

/**
 * A number that changes when another connection commits to the database. A connection's own writes do not change it:
 * `total_changes()` counts those.
 */
export function dataVersion(database: Database, schema: "main" | "search" = "main"): number {
  return Number(prepared(database, `PRAGMA ${schema}.data_version`).pluck().get());
}

/** What was read by each connection, by a name for it, in one state of both databases. */
const memories = new WeakMap<Database, { state: string; values: Map<string, unknown> }>();

/**
 * What `read` gives, read again only after somebody has written to the index or the full text: asking for that takes 3 us,
 * what a search wants to know of the index as a whole 35.
 *
 * @param reader the connection that sees the full text as `search`; what it writes itself goes unnoticed
 */
export function remembered<T>(reader: Database, name: string, read: () => T): T {
  // The full text first: in a transaction it is seen as it was then, and rows that are newer than it are its usual case.
  const state = `${dataVersion(reader, "search")} ${dataVersion(reader, "main")}`;
  let memory = memories.get(reader);
  if (memory?.state !== state) {
    memory = { state, values: new Map() };
    memories.set(reader, memory);
  }
  if (!memory.values.has(name)) memory.values.set(name, read());
  return memory.values.get(name) as T;
}

const DELETION_EPOCH = `SELECT (SELECT value FROM meta WHERE name = 'index_id') || ':' ||
  (SELECT coalesce(max(seq), 0) FROM removed_keys)`;

/**
 * A text that changes whenever rows may have been removed from the index. When it has changed, what was up to date before
 * need not be so any more: another process may empty the index at any moment, to fill it anew.
 */
export function deletionEpoch(database: Database): string {
  return String(prepared(database, DELETION_EPOCH).pluck().get());
}

/** The id of an index. One that is made anew has another. */
export function indexIdOf(database: Database): string {
  return String(prepared(database, "SELECT value FROM main.meta WHERE name = 'index_id'").pluck().get());
}
