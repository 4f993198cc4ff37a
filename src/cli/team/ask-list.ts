import { withTeam } from "../../api/team.ts";
import { listTeamSessions, TEAM_SORT_KEYS, type TeamListOptions } from "../../team/ask/team-sessions.ts";
import { teamUnmatched } from "../../team/ask/team-unmatched.ts";
import { apiOf } from "../api-of.ts";
import { type Args, sortOf } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { printSessions } from "../output/listed-sessions.ts";
import type { RowFormat } from "../output/rows.ts";
import { teamSessionColumns } from "../output/session-table.ts";
import { teamFilterFrom } from "./asked-filter.ts";

type ListPart = Pick<TeamListOptions, "limit" | "offset" | "allSessions">;

/** `list --team`: the sessions that the team has pushed, each with who held it. */
export async function listTeam(
  context: Context,
  args: Args,
  { format, part }: { format: RowFormat; part: ListPart },
): Promise<number> {
  const filter = teamFilterFrom(context, args, { command: "list" });
  const sort = sortOf(args, TEAM_SORT_KEYS);
  const options = { ...part, filter, ...(sort && { sort }) };
  const answer = await withTeam(apiOf(context), async (client) => {
    const found = await listTeamSessions(client, options);
    return { found, unmatched: found.total === 0 ? await teamUnmatched(client, filter) : [] };
  });
  const isOpen = Object.keys(filter).length === 0;
  printSessions(context, answer, { format, args, columns: teamSessionColumns, isOpen });
  return ExitCode.done;
}
