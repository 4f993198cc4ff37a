import { withTeam } from "../../api/team.ts";
import { SessionDbError } from "../../errors.ts";
import {
  sumTeamUsage,
  TEAM_GROUPINGS,
  type TeamGrouping,
  type TeamUsageOptions,
} from "../../team/ask/team-sums.ts";
import { teamUnmatched } from "../../team/ask/team-unmatched.ts";
import { apiOf } from "../api-of.ts";
import { type Args, isSet, refuseOptions, textOf } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { inReportTime, pricesFor, shownOptions } from "../usage/usage-options.ts";
import { printerOf, printReport } from "../usage/usage-printer.ts";
import { ANSWERS_BESIDE, groupingOf } from "../usage/usage-words.ts";
import { teamFilterFrom } from "./asked-filter.ts";

/** `usage --team`: the report of one index, of all that the team has pushed. */
export async function showTeamUsage(context: Context, args: Args): Promise<number> {
  refuseOptions(args, ["otlp"], {
    of: "usage --team",
    hint: "It is about the session files of this machine.",
  });
  const by = teamGroupingOf(textOf(args, "by") ?? "daily");
  const print = await printerOf(context, args, by);
  const filter = inReportTime(context, args, by, teamFilterFrom(context, args, { command: "usage" }));
  const options: TeamUsageOptions = { ...shownOptions(context, args, by), by, filter };
  if (isSet(args, "estimate")) options.prices = await pricesFor(context, args);
  const answer = await withTeam(apiOf(context), async (client) => {
    const found = await sumTeamUsage(client, options);
    return { found, unmatched: found.rows.length === 0 ? await teamUnmatched(client, filter) : [] };
  });
  await printReport(print, answer, { args, options });
  return ExitCode.done;
}

/** @throws SessionDbError `usage` for groupings that only an index can tell */
function teamGroupingOf(word: string): TeamGrouping {
  const asked = /^authors?$/i.test(word) ? "author" : isBeside(word) ? word : groupingOf(word);
  const grouping = TEAM_GROUPINGS.find((each) => each === asked);
  if (grouping !== undefined) return grouping;
  throw new SessionDbError("usage", `usage ${asked} cannot be asked of a team`, {
    hint: `Its data do not know it. Choose one of: ${TEAM_GROUPINGS.join(", ")}.`,
  });
}

function isBeside(word: string): boolean {
  return ANSWERS_BESIDE.some((each) => each === word);
}
