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
