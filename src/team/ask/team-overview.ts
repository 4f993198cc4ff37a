import type { UsageReport } from "../../reports/usage/usage-shapes.ts";
import type { TeamClient } from "../connect.ts";
import { type DeviceTrouble, readTeam, type TeamDevice, troubleOf } from "../team-status.ts";
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
  why: DeviceTrouble[];
}

export interface OverviewOptions {
  /** Unix ms. */
  now: number;
  since: number;
  timezone: string;
  /** The version of this program. */
  version: string;
}

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
    troubled: active.flatMap((device) => {
      const why = troubleOf(device, options);
      return why.length === 0 ? [] : [{ ...device, why }];
    }),
    daily: await sumTeamUsage(client, { by: "daily", timezone, filter }),
    byAuthor: await sumTeamUsage(client, { by: "author", timezone, filter }),
    dearest: (await listTeamSessions(client, { filter, sort, limit: DEAREST })).sessions,
  };
}

const COUNTS = `SELECT count(*) FILTER (WHERE root_file_id = file_id) AS sessions,
  count(*) FILTER (WHERE root_file_id <> file_id) AS subagents, count(DISTINCT project) AS projects FROM sessiondb_team.sessions`;
