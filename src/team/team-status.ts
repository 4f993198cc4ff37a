import type { TeamClient } from "./connect.ts";

/** A device of the team, and how far behind it is. */
export interface TeamDevice {
  author: string;
  device: string;
  label: string;
  /** The version of the program that pushes there. */
  client: string;
  level: string;
  sessions: number;
  /** ISO 8601. */
  lastPushAt: string;
  /** Session files that it had still to push when it last came. */
  waiting: number;
  revoked: boolean;
}

/** A person, who may have no device yet. */
export interface TeamAuthor {
  author: string;
  kind: "author" | "lead";
  revoked: boolean;
}

/** Who belongs to the team and pushes from where: of an author what is theirs, of a lead all. @throws as `teamError` */
export async function readTeam(
  client: TeamClient,
): Promise<{ authors: TeamAuthor[]; devices: TeamDevice[] }> {
  const authors = await client.query<TeamAuthor>(
    "SELECT author, kind, revoked FROM sessiondb_team.authors ORDER BY author",
  );
  const devices = await client.query<Omit<TeamDevice, "lastPushAt"> & { lastPushAt: Date }>(
    `SELECT author, device, label, client, level, sessions, last_push_at AS "lastPushAt", waiting, revoked
     FROM sessiondb_team.devices ORDER BY author, last_push_at DESC`,
  );
  return {
    authors,
    devices: devices.map((each) => ({ ...each, lastPushAt: each.lastPushAt.toISOString() })),
  };
}

/** Nothing has come from a device for a week; an older program runs there; sessions are still to come. */
export type DeviceTrouble = "silent" | "old" | "behind";

/** After so long without a push somebody should look. */
const SILENT_MS = 7 * 24 * 60 * 60 * 1000;

/** Why somebody should look at a device. `now` is Unix ms, `version` that of this program. */
export function troubleOf(
  { lastPushAt, client, waiting }: TeamDevice,
  { now, version }: { now: number; version: string },
): DeviceTrouble[] {
  const why: DeviceTrouble[] = [];
  if (now - Date.parse(lastPushAt) > SILENT_MS) why.push("silent");
  if (isOlder(client, version)) why.push("old");
  if (waiting > 0) why.push("behind");
  return why;
}

/** Whether a version (`0.9.12`) is older than another. */
export function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}
