import { withTeam } from "../../api/team.ts";
import { listTeamSessions, TEAM_SORT_KEYS } from "../../team/ask/team-sessions.ts";
import { teamUnmatched } from "../../team/ask/team-unmatched.ts";
import { apiOf } from "../api-of.ts";
import { type Args, countOf, isSet, sortOf } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { sessionLimitOf } from "../command-line/filter-options.ts";
import { printSessions } from "../output/listed-sessions.ts";
import { rowFormatOf } from "../output/rows.ts";
import { teamSessionColumns } from "../output/session-table.ts";
import { teamFilterFrom } from "./asked-filter.ts";

/** How many sessions people are shown if they do not say. */
const TERMINAL_LIMIT = 50;

/** `list --team`: the sessions that the team has pushed, each with who held it. */
export async function listTeam(context: Context, args: Args): Promise<number> {
  const filter = teamFilterFrom(context, args, { command: "list" });
  const format = rowFormatOf(context, args);
  const sort = sortOf(args, TEAM_SORT_KEYS);
  const options = {
    filter,
    limit: sessionLimitOf(format === "table", args, TERMINAL_LIMIT),
    offset: countOf(args, "offset", "0 leaves out none.") ?? 0,
    allSessions: isSet(args, "all-sessions"),
    ...(sort && { sort }),
  };
  const answer = await withTeam(apiOf(context), async (client) => {
    const found = await listTeamSessions(client, options);
    return { found, unmatched: found.total === 0 ? await teamUnmatched(client, filter) : [] };
  });
  const isOpen = Object.keys(filter).length === 0;
  await printSessions(context, answer, { format, args, columns: teamSessionColumns, isOpen });
  return ExitCode.done;
}
