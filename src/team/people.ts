import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { choicesOf, SessionDbError } from "../errors.ts";
import type { TeamClient } from "./connect.ts";

export interface Invitation {
  name: string;
  /** Leads see everybody's numbers. */
  lead: boolean;
  /** A role that exists; without it one is made, with a password. */
  role?: string;
}

/** Who was invited, as which role, and with which password where the role was made: nobody will say it again. */
export interface Invited {
  role: string;
  password: string | null;
}

/**
 * Lets a person in: makes a role for them, or takes one that exists, and grants it the functions and the views, no table. Who
 * was revoked is let in again.
 *
 * @throws SessionDbError as `teamError`: `refused` where the connection may not make roles
 */
export async function invite(client: TeamClient, { name, lead, role: given }: Invitation): Promise<Invited> {
  const role = given ?? (await roleFor(client, name));
  const password = given === undefined ? randomBytes(18).toString("base64url") : null;
  if (password !== null) await makeRole(client, role, password);
  for (const grant of GRANTS) await client.query(grant.replace("ROLE", quoted(role)));
  await client.query(
    `INSERT INTO sessiondb_data.authors (role, name, kind) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET role = excluded.role, kind = excluded.kind, revoked_at = NULL`,
    [role, name, lead ? "lead" : "author"],
  );
  return { role, password };
}

const GRANTS = [
  "GRANT USAGE ON SCHEMA sessiondb_team TO ROLE",
  "GRANT SELECT ON ALL TABLES IN SCHEMA sessiondb_team TO ROLE",
  "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA sessiondb_team TO ROLE",
];

/** Roles are those of the whole server: with the database in their names, two teams of one server have roles of their own. */
async function roleFor(client: TeamClient, name: string): Promise<string> {
  const [row] = await client.query<{ database: string }>("SELECT current_database() AS database");
  const letters = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  const known = letters === "" ? createHash("sha256").update(name).digest("hex").slice(0, 12) : letters;
  return `${row?.database}_${known}`.slice(0, 63);
}

/** The password itself is not sent, so that no log of the server can hold it. */
async function makeRole(client: TeamClient, role: string, password: string): Promise<void> {
  const [there] = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
  const verb = there === undefined ? "CREATE" : "ALTER";
  await client.query(`${verb} ROLE ${quoted(role)} LOGIN PASSWORD '${scramOf(password)}'`);
}

/** What PostgreSQL keeps of a password: RFC 5803, with its own default of iterations. */
function scramOf(password: string): string {
  const iterations = 4096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const keyed = (text: string) => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(keyed("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${stored}:${keyed("Server Key").toString("base64")}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Lets nobody push or ask as a person any more, or, where a device is named, from that device push. What was pushed stays.
 *
 * @param device its label, its id, or the beginning of that
 * @throws SessionDbError `not_found`, `ambiguous`; as `teamError`
 */
export async function revoke(client: TeamClient, name: string, device?: string): Promise<void> {
  const { id, role } = await authorNamed(client, name);
  if (device !== undefined) {
    await revokeDevice(client, id, await deviceNamed(client, { id, name }, device));
    return;
  }
  await client.query("UPDATE sessiondb_data.authors SET revoked_at = now() WHERE id = $1", [id]);
  for (const grant of GRANTS.toReversed())
    await client.query(grant.replace("GRANT", "REVOKE").replace(" TO ROLE", ` FROM ${quoted(role)}`));
}

async function revokeDevice(client: TeamClient, author: number, device: string): Promise<void> {
  await client.query("UPDATE sessiondb_data.devices SET revoked_at = now() WHERE author = $1 AND id = $2", [
    author,
    device,
  ]);
}

/**
 * Removes a person and all that they have pushed, or what was pushed from one device; copies that others have count for those.
 *
 * @throws as `revoke`
 */
export async function forget(client: TeamClient, name: string, device?: string): Promise<void> {
  if (device === undefined) {
    await revoke(client, name);
    const { id } = await authorNamed(client, name);
    await client.query("SELECT sessiondb_data.forget_author($1)", [id]);
    return;
  }
  const { id } = await authorNamed(client, name);
  const deviceId = await deviceNamed(client, { id, name }, device);
  await revokeDevice(client, id, deviceId);
  await client.query("SELECT sessiondb_data.forget_device($1, $2)", [id, deviceId]);
}

/** The id of a device. */
async function deviceNamed(
  client: TeamClient,
  { id, name }: { id: number; name: string },
  asked: string,
): Promise<string> {
  const found = await client.query<{ id: string; label: string }>(
    "SELECT id, label FROM sessiondb_data.devices WHERE author = $1 AND (label = $2 OR starts_with(id::text, $2)) ORDER BY id",
    [id, asked],
  );
  const [first] = found;
  if (first === undefined)
    throw new SessionDbError("not_found", `${name} has no device ${asked}`, {
      hint: "See: sessiondb team status",
    });
  if (found.length > 1)
    throw new SessionDbError("ambiguous", `${name} has ${found.length} devices that are called ${asked}`, {
      hint: "Name one by its id, of which the beginning is enough:",
      choices: choicesOf(found, (each) => `${each.id}  ${each.label}`),
    });
  return first.id;
}

async function authorNamed(client: TeamClient, name: string): Promise<{ id: number; role: string }> {
  const [found] = await client.query<{ id: number; role: string }>(
    "SELECT id, role FROM sessiondb_data.authors WHERE name = $1",
    [name],
  );
  if (found !== undefined) return found;
  throw new SessionDbError("not_found", `the team has nobody called ${name}`, {
    hint: "See: sessiondb team status",
  });
}
