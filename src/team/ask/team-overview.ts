import type { UsageReport } from "../../reports/usage/usage-shapes.ts";
import type { TeamClient } from "../connect.ts";
import { readTeam, type TeamDevice } from "../team-status.ts";
import { isOlder } from "../versions.ts";
import { listTeamSessions, type TeamSession } from "./team-sessions.ts";
import { sumTeamUsage } from "./team-sums.ts";

/** What a team has pushed, in short. */
export interface TeamOverview {
  place: string;
  people: number;
  /** Of people: those of sub-agents belong to them. */
  sessions: number;
  subagents: number;
  projects: number;
  /** ISO 8601; null before the first. */
  lastPushAt: string | null;
  /** Devices that somebody should look at. */
  troubled: TroubledDevice[];
  devices: number;
  daily: UsageReport;
  /** Who has spent it. */
  byAuthor: UsageReport;
  dearest: TeamSession[];
}

export interface TroubledDevice extends TeamDevice {
  /** Nothing has come from it for a week; an older program runs there; sessions are still to come. */
  why: ("silent" | "old" | "behind")[];
}

export interface OverviewOptions {
  /** Unix ms. */
  now: number;
  since: number;
  timezone: string;
  /** The version of this program. */
  version: string;
}

/** After so long without a push somebody should look. */
const SILENT_MS = 7 * 24 * 60 * 60 * 1000;
const DEAREST = 5;

/** @throws SessionDbError as `teamError` */
export async function readTeamOverview(client: TeamClient, options: OverviewOptions): Promise<TeamOverview> {
  const { since, timezone } = options;
  const { authors, devices } = await readTeam(client);
  const active = devices.filter(({ revoked }) => !revoked);
  const [counts] = await client.query<Pick<TeamOverview, "sessions" | "subagents" | "projects">>(COUNTS);
  const filter = { since };
  const sort = { key: "cost" as const, descending: true };
  const pushes = devices.map(({ lastPushAt }) => lastPushAt).sort();
  return {
    place: client.place,
    people: authors.filter(({ revoked }) => !revoked).length,
    ...(counts ?? { sessions: 0, subagents: 0, projects: 0 }),
    lastPushAt: pushes.at(-1) ?? null,
    devices: active.length,
    troubled: active.flatMap((device) => troubleOf(device, options)),
    daily: await sumTeamUsage(client, { by: "daily", timezone, filter }),
    byAuthor: await sumTeamUsage(client, { by: "author", timezone, filter }),
    dearest: (await listTeamSessions(client, { filter, sort, limit: DEAREST })).sessions,
  };
}

const COUNTS = `SELECT count(*) FILTER (WHERE root_file_id = file_id) AS sessions,
  count(*) FILTER (WHERE root_file_id <> file_id) AS subagents, count(DISTINCT project) AS projects FROM sessiondb_team.sessions`;

function troubleOf(device: TeamDevice, { now, version }: OverviewOptions): TroubledDevice[] {
  const why: TroubledDevice["why"] = [];
  if (now - Date.parse(device.lastPushAt) > SILENT_MS) why.push("silent");
  if (isOlder(device.client, version)) why.push("old");
  if (device.waiting > 0) why.push("behind");
  return why.length === 0 ? [] : [{ ...device, why }];
}
