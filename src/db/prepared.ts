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
