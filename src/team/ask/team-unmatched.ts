import { currentProvider, currentProviderOf } from "../../filters/providers.ts";
import type { Unmatched } from "../../reports/known-names.ts";
import type { TeamClient } from "../connect.ts";
import { numbered, ofTeamSession, type TeamFilter } from "./team-filter.ts";

const PROVIDER = currentProviderOf("provider");

/** What can be misspelt, and where the names stand that there are. */
const NAMES = {
  author: "SELECT DISTINCT author AS name FROM sessiondb_team.authors ORDER BY 1",
  "project name": "SELECT DISTINCT project AS name FROM sessiondb_team.sessions ORDER BY 1",
  model: "SELECT DISTINCT model AS name FROM sessiondb_team.usage_quarters ORDER BY 1",
  provider: `SELECT DISTINCT ${PROVIDER} AS name FROM sessiondb_team.usage_quarters ORDER BY 1`,
} as const;

const MEETS: Record<keyof typeof NAMES, (name: string, asked: string) => boolean> = {
  author: (name, asked) => name.toLowerCase() === asked.toLowerCase(),
  "project name": (name, asked) => name.toLowerCase().includes(asked.toLowerCase()),
  model: (name, asked) => name.toLowerCase().includes(asked.toLowerCase()),
  provider: (name, asked) => name === currentProvider(asked),
};

/** The conditions of a filter that nothing the connection may see meets, each by itself; for empty answers. */
export async function teamUnmatched(client: TeamClient, filter: TeamFilter): Promise<Unmatched[]> {
  const unmatched: Unmatched[] = [];
  const asked = { ...filter, "project name": filter.project };
  for (const key of ["author", "project name", "model", "provider"] as const) {
    const name = asked[key];
    if (name === undefined) continue;
    const found = await client.query<{ name: string }>(NAMES[key]);
    const known = found.flatMap((each) => (each.name === "" ? [] : [each.name]));
    if (!known.some((each) => MEETS[key](each, name))) unmatched.push({ key, asked: name, known });
  }
  const { session } = filter;
  if (session !== undefined && !(await isThere(client, session)))
    unmatched.push({ key: "session", asked: session, known: [] });
  return unmatched;
}

async function isThere(client: TeamClient, session: string): Promise<boolean> {
  const { sql, values } = numbered(ofTeamSession({ session }));
  const found = await client.query(
    ["SELECT 1 FROM sessiondb_team.sessions s", sql, "LIMIT 1"].join(" "),
    values,
  );
  return found.length > 0;
}
