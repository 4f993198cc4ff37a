import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { SessionDbError } from "../errors.ts";
import { migrationsFolder } from "../store/migrations.ts";
import type { TeamClient } from "./connect.ts";

/** Two that migrate at once take turns. */
const TURN = "7253, 2";

/** The oldest program that may push into what the migrations make. */
const OLDEST_CLIENT = "0.1.0";

/**
 * Makes the schema of a team in a database, and whoever is connected its first lead.
 *
 * @throws SessionDbError `usage` where there is one; as `teamError`
 */
export async function initTeam(client: TeamClient, { name }: { name: string }): Promise<void> {
  if (await holdsTeam(client))
    throw new SessionDbError("usage", `${client.place} holds a team already`, {
      hint: "sessiondb team migrate brings it up to date.",
    });
  await migrateTeam(client);
  await client.query(
    "INSERT INTO sessiondb_data.authors (role, name, kind) VALUES (session_user, $1, 'lead') ON CONFLICT DO NOTHING",
    [name],
  );
}

/** Brings the schema up to date; the data stay. Returns whether there was anything to do. @throws as `teamError` */
export async function migrateTeam(client: TeamClient): Promise<boolean> {
  const [{ drizzle }, { migrate }] = await Promise.all([
    import("drizzle-orm/node-postgres"),
    import("drizzle-orm/node-postgres/migrator"),
  ]);
  const before = await migrationsOf(client);
  await client.query(`SELECT pg_advisory_lock(${TURN})`);
  try {
    await client.told(() =>
      migrate(drizzle(client.driver), {
        migrationsFolder: join(migrationsFolder(), "team"),
        migrationsSchema: "sessiondb_data",
        migrationsTable: "migrations",
      }),
    );
    const facts = "INSERT INTO sessiondb_data.meta (name, value) VALUES ($1, $2) ON CONFLICT (name)";
    await client.query(`${facts} DO NOTHING`, ["instance", randomUUID()]);
    await client.query(`${facts} DO UPDATE SET value = excluded.value`, ["oldest_client", OLDEST_CLIENT]);
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${TURN})`);
  }
  return (await migrationsOf(client)) > before;
}

async function holdsTeam(client: TeamClient): Promise<boolean> {
  const [row] = await client.query<{ there: boolean }>(
    "SELECT to_regclass('sessiondb_data.authors') IS NOT NULL AS there",
  );
  return row?.there === true;
}

async function migrationsOf(client: TeamClient): Promise<number> {
  const [row] = await client.query<{ there: boolean }>(
    "SELECT to_regclass('sessiondb_data.migrations') IS NOT NULL AS there",
  );
  if (row?.there !== true) return 0;
  const [counted] = await client.query<{ count: number }>(
    "SELECT count(*) AS count FROM sessiondb_data.migrations",
  );
  return counted?.count ?? 0;
}
