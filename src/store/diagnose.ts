import { codeOf, SessionDbError } from "../errors.ts";
import { openConnection } from "./connection.ts";
import { type DatabaseSpec, INDEX_DB, isCurrent, SEARCH_DB } from "./databases.ts";
import { type IndexLocation, isEmptied, sizeAt } from "./location.ts";
import { APPLICATION_ID, migrate } from "./migrations.ts";
import type { Database } from "./native.ts";
import type { Index } from "./open.ts";
import type { Rebuilt } from "./quarantine.ts";
import { damaged, isDamage, isMissingPart, toStoreError } from "./sqlite-errors.ts";

/**
 * Looks at all pages of a database, those of SQL indexes included, and for all tables and columns. Null when they hold
 * what they should. It takes a fraction of the time of reading every session again.
 */
export function firstFault(database: Database, spec: DatabaseSpec): string | null {
  const broken = brokenPage(database) ?? overfullIndex(database);
  if (broken !== null) return broken;
  const [missing] = missingParts(database, spec);
  return missing === undefined ? null : `${missing} is missing`;
}

function brokenPage(database: Database): string | null {
  const said = String(database.pragma("integrity_check(1)", { simple: true }));
  return said === "ok" ? null : said;
}

/** For each SQL index of some rows, whether it has as many as there are. */
const COMPARISONS = `SELECT name, format('SELECT (SELECT count(*) FROM "%w" INDEXED BY "%w" %s) =
    (SELECT count(*) FROM "%w" NOT INDEXED %s)', tbl_name, name, some, tbl_name, some) AS comparison
  FROM (SELECT name, tbl_name, substr(sql, nullif(instr(replace(upper(sql), char(10), ' '), ' WHERE '), 0)) AS some
    FROM sqlite_schema WHERE type = 'index') WHERE some IS NOT NULL`;

/** An SQL index of some rows that has others, too: of these SQLite only looks whether something is missing. */
function overfullIndex(database: Database): string | null {
  const indexes = database.prepare(COMPARISONS).all() as { name: string; comparison: string }[];
  const overfull = indexes.find(({ comparison }) => database.prepare(comparison).pluck().get() === 0);
  return overfull === undefined ? null : `index ${overfull.name} has rows of others`;
}

/** What another program has dropped: SQLite finds nothing wrong with a database that lacks a table. */
function missingParts(database: Database, spec: DatabaseSpec): string[] {
  const there = new Set(partsOf(database));
  return expectedParts(spec).filter((part) => !there.has(part));
}

const PARTS = `SELECT type || ' ' || name FROM sqlite_schema UNION ALL
  SELECT 'column ' || s.name || '.' || c.name FROM sqlite_schema s, pragma_table_xinfo(s.name) c
  WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%'`;

/** Tables, SQL indexes, views and columns, each as it can be shown. */
function partsOf(database: Database): string[] {
  return database.prepare<[], string>(PARTS).pluck().all();
}

function expectedParts(spec: DatabaseSpec): string[] {
  const made = openConnection(":memory:", {});
  try {
    migrate(made, spec);
    return partsOf(made);
  } finally {
    made.close();
  }
}

/** `explain` for what went wrong with an open index. */
export function diagnose(error: unknown, index: Index): unknown {
  const { indexPath } = index.location;
  if (error instanceof SessionDbError || !index.database.open) return toStoreError(error, indexPath);
  const code = codeOf(error);
  const speaksOfDamage = isDamage(code) || isMissingPart(code);
  return toStoreError(damageBehind(error, index) ?? error, speaksOfDamage ? damagedPath(index) : indexPath);
}

/** Errors that rows without sense lead to, beside SQLite's errors that speak of damage. */
const ODD = /^SQLITE_(CONSTRAINT|MISMATCH)/;

/**
 * The damage of the index that is behind an error which does not speak of it; null when there is none. SQLite reads pages
 * that have changed places without an error: what looks like a bug of this program is then the fault of the index.
 */
export function damageBehind(error: unknown, index: Index): SessionDbError | null {
  const isOdd = error instanceof TypeError || error instanceof RangeError || ODD.test(codeOf(error));
  return isOdd && index.database.open && !isSound(index) ? damaged(damagedPath(index), error) : null;
}

/** The file of a damaged index that is damaged: SQLite's errors do not say in which one it was reading. */
function damagedPath(index: Index): string {
  return isFullTextSound(index) ? index.location.indexPath : index.location.searchPath;
}

/**
 * What of an index is damaged, its rows before their full text; null where it is whole, is not there, or is another
 * program's. Nothing is written.
 *
 * @throws SessionDbError `busy`, `io`
 */
export function damageIn(location: IndexLocation): Rebuilt | null {
  if (isEmptied(location) || isDamagedAt(location.indexPath, INDEX_DB)) return "index";
  return isDamagedAt(location.searchPath, SEARCH_DB) ? "fullText" : null;
}

function isDamagedAt(path: string, spec: DatabaseSpec): boolean {
  let database: Database | undefined;
  try {
    // What is empty becomes a database when it is next opened.
    if ((sizeAt(path) ?? 0) === 0) return false;
    database = openConnection(path, { readonly: true });
    if (database.pragma("application_id", { simple: true }) !== APPLICATION_ID) return false;
    if (isCurrent(database, spec)) return firstFault(database, spec) !== null;
    return !isCounted(database) || brokenPage(database) !== null;
  } catch (error) {
    const code = codeOf(error);
    if (isDamage(code) || isMissingPart(code)) return true;
    throw toStoreError(error, path);
  } finally {
    database?.close();
  }
}

/** Whether its migrations are counted, as they are from the transaction on that gives a database our mark. */
function isCounted(database: Database): boolean {
  return database.prepare("SELECT 1 FROM meta WHERE name = 'migrations'").get() !== undefined;
}

/** Whether both databases are whole. @throws SessionDbError as `openIndex` */
function isSound(index: Index): boolean {
  return isWhole(() => index.database, INDEX_DB, index.location.indexPath) && isFullTextSound(index);
}

function isFullTextSound(index: Index): boolean {
  return !index.hasFullText || isWhole(() => index.search, SEARCH_DB, index.location.searchPath);
}

function isWhole(opened: () => Database, spec: DatabaseSpec, path: string): boolean {
  try {
    return firstFault(opened(), spec) === null;
  } catch (error) {
    if (isDamage(codeOf(error))) return false;
    throw toStoreError(error, path);
  }
}
