import { randomUUID } from "node:crypto";
import { SessionDbError } from "../errors.ts";
import { migrationsIn } from "../store/migrations.ts";
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

/**
 * Brings the schema up to date, in one transaction; the data stay. Returns whether there was anything to do.
 *
 * @throws SessionDbError as `teamError`; `refused` where a newer program has made it
 */
export async function migrateTeam(client: TeamClient): Promise<boolean> {
  const migrations = migrationsIn("team");
  await client.query("START TRANSACTION");
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${TURN})`);
    const applied = await appliedCount(client);
    if (applied > migrations.length) throw madeByNewer(client);
    for (const { sql } of migrations.slice(applied)) for (const part of sql) await client.query(part);
    await client.query(`${NOTE} DO NOTHING`, ["instance", randomUUID()]);
    await client.query(`${NOTE} DO UPDATE SET value = excluded.value`, ["oldest_client", OLDEST_CLIENT]);
    await client.query(`${NOTE} DO UPDATE SET value = excluded.value`, ["migrations", migrations.length]);
    await client.query("COMMIT");
    return applied < migrations.length;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

const NOTE = "INSERT INTO sessiondb_data.meta (name, value) VALUES ($1, $2) ON CONFLICT (name)";

/** How many migrations the database has seen, as in an index. */
async function appliedCount(client: TeamClient): Promise<number> {
  const [table] = await client.query<{ there: boolean }>(
    "SELECT to_regclass('sessiondb_data.meta') IS NOT NULL AS there",
  );
  if (table?.there !== true) return 0;
  const [row] = await client.query<{ value: string }>(
    "SELECT value FROM sessiondb_data.meta WHERE name = 'migrations'",
  );
  return Number(row?.value ?? 0);
}

function madeByNewer({ place }: TeamClient): SessionDbError {
  return new SessionDbError("refused", `a newer sessiondb has made the team's tables in ${place}`, {
    hint: "Update this one.",
  });
}

async function holdsTeam(client: TeamClient): Promise<boolean> {
  return (await appliedCount(client)) > 0;
}
