import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type { readMigrationFiles } from "drizzle-orm/migrator";
import { SessionDbError } from "../errors.ts";
import { type DatabaseSpec, migrationsFolder, newer, shippedCount } from "./databases.ts";
import type { Database } from "./native.ts";

const require = createRequire(import.meta.url);

/** "pisd": marks a database file as one of ours. */
export const APPLICATION_ID = 0x70697364;

/**
 * Brings a database up to date under one IMMEDIATE transaction, so that of several processes that find it
 * fresh or old exactly one does the work and the others wait for it. Returns whether the database was emptied, because an
 * earlier version had filled it with other content than this one would.
 *
 * @throws SessionDbError `index_newer`, `index_foreign`
 */
export function migrate(database: Database, kind: DatabaseSpec): boolean {
  if (isFinished(database, kind)) return false;
  return database
    .transaction(() => {
      assertOurs(database);
      const applied = appliedCount(database);
      assertOfKind(database, kind);
      assertNotNewer(database, kind);
      const whole = ownerOf(database) === "nobody" ? wholeOf(kind) : undefined;
      if (whole !== undefined) database.exec(whole);
      else
        for (const { sql } of migrationsIn(kind.migrations).slice(applied))
          for (const part of sql) database.exec(part);
      const isOutdated = applied > 0 && userVersion(database) !== kind.ingestVersion;
      if (isOutdated) kind.empty(database);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${kind.ingestVersion}`);
      recordApplied(database, shippedCount(kind));
      return isOutdated;
    })
    .immediate();
}

/**
 * Refuses a database that is not one of ours, is from a newer program, or has yet to be made or migrated.
 * For connections that must not write.
 *
 * @throws SessionDbError `index_newer`, `index_foreign`, `not_found`, `busy`
 */
export function assertMigrated(database: Database, kind: DatabaseSpec): void {
  const owner = ownerOf(database);
  if (owner === "nobody") throw notThere(database.name);
  if (owner === "another") throw foreign(database);
  if (isFinished(database, kind)) return;
  assertOfKind(database, kind);
  assertNotNewer(database, kind);
  throw new SessionDbError("busy", "the index has to be brought up to date before it can be read", {
    hint: "Run `sessiondb sync`.",
  });
}

function isFinished(database: Database, kind: DatabaseSpec): boolean {
  return (
    database.pragma("application_id", { simple: true }) === APPLICATION_ID &&
    userVersion(database) === kind.ingestVersion &&
    appliedCount(database) === shippedCount(kind)
  );
}

function userVersion(database: Database): unknown {
  return database.pragma("user_version", { simple: true });
}

/** What those who only read are told, also while another process is about to make the index. */
export function notThere(path: string): SessionDbError {
  return new SessionDbError("not_found", `there is no index yet: ${path}`, { hint: "Run `sessiondb sync`." });
}

/**
 * Refuses a database of some other program; one without any tables is nobody's yet.
 *
 * @throws SessionDbError `index_foreign`
 */
export function assertOurs(database: Database): void {
  if (ownerOf(database) === "another") throw foreign(database);
}

function foreign(database: Database): SessionDbError {
  return new SessionDbError("index_foreign", `not a session index: ${database.name}`, {
    hint: "Choose another file with --db, or move that one away.",
  });
}

function ownerOf(database: Database): "us" | "nobody" | "another" {
  // In this order: between the two looks another process may commit the first migration, which makes tables and id.
  const tables = database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
  const id = database.pragma("application_id", { simple: true });
  if (id === APPLICATION_ID) return "us";
  return id === 0 && tables === 0 ? "nobody" : "another";
}

/** Refuses a full text where an index is to be opened, and the reverse. */
function assertOfKind(database: Database, { migrations }: DatabaseSpec): void {
  if (migrations === "search") assertNoIndex(database);
  else assertNoFullText(database);
}

function assertNoIndex(database: Database): void {
  if (!hasTable(database, "sessions")) return;
  throw new SessionDbError("index_foreign", `an index is in the place of its full text: ${database.name}`, {
    hint: "Move that file away: the full text is rebuilt.",
  });
}

function assertNoFullText(database: Database): void {
  if (!hasTable(database, "entry_text")) return;
  const index = indexBeside(database.name);
  throw new SessionDbError("index_foreign", `this is the full text of an index: ${database.name}`, {
    hint: index === undefined ? "Name the index it belongs to." : `Name the index itself: --db ${index}`,
  });
}

/** The index to which a full text belongs, guessed from its name; undefined where there is none. */
function indexBeside(searchPath: string): string | undefined {
  const name = basename(searchPath);
  const whole = name.replace(/\.search\.db$/, "");
  return [name.replace("search", "index"), `${whole}.db`, whole]
    .map((each) => join(dirname(searchPath), each))
    .find((path) => path !== searchPath && existsSync(path));
}

function hasTable(database: Database, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;
}

function assertNotNewer(database: Database, kind: DatabaseSpec): void {
  const version = userVersion(database);
  const isKnown = typeof version === "number" && version <= kind.ingestVersion;
  if (isKnown && appliedCount(database) <= shippedCount(kind)) return;
  throw newer(database);
}

/** How many migrations the database has seen; kept in `meta`, which the first one creates. */
function appliedCount(database: Database): number {
  if (!hasTable(database, "meta")) return 0;
  return Number(database.prepare("SELECT value FROM meta WHERE name = 'migrations'").pluck().get() ?? 0);
}

function recordApplied(database: Database, count: number): void {
  database.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('migrations', ?)").run(String(count));
}

/** Those of a folder of `migrations`. drizzle is loaded here, because almost no opening finds anything to migrate. */
export function migrationsIn(folder: string): ReturnType<typeof readMigrationFiles> {
  const migrator = require("drizzle-orm/migrator") as { readMigrationFiles: typeof readMigrationFiles };
  return migrator.readMigrationFiles({ migrationsFolder: join(migrationsFolder(), folder) });
}

/** What makes all of a new database at once, where migrating it would take ten times as long; a test compares the two. */
function wholeOf({ migrations }: DatabaseSpec): string | undefined {
  const path = join(migrationsFolder(), migrations, "whole.sql");
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
