import { withTeam } from "../../api/team.ts";
import type { BudgetReport } from "../../reports/budgets/budget-shapes.ts";
import { readTeamBudgets } from "../../team/ask/team-budgets.ts";
import { readTeamOverview, type TeamOverview, type TroubledDevice } from "../../team/ask/team-overview.ts";
import { plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { apiOf } from "../api-of.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { packageFacts } from "../command-line/package.ts";
import { shownWhen, shownWhenSince } from "../output/fields.ts";
import { printDocument } from "../output/json-output.ts";
import { costLines, countLines, stepLines } from "../output/overview-lines.ts";
import { teamSessionColumns } from "../output/session-table.ts";
import { answerTable } from "../output/table.ts";
import { budgetLines } from "../usage/budget-lines.ts";
import { DAYS, startOfDaysAgo } from "../usage/usage-period.ts";
import { usageTable } from "../usage/usage-table.ts";

/** `sessiondb --team`: who has pushed, what it has cost, and which devices somebody should look at. */
export async function showTeamFrontPage(context: Context): Promise<number> {
  const { timezone } = context.config;
  const now = context.world.now();
  // Whole days in the time zone, as `usage` counts them.
  const since = startOfDaysAgo(DAYS, { now, timezone });
  const { version } = packageFacts();
  const { weekStart, team } = context.config;
  const { budgets } = team;
  const found = await withTeam(apiOf(context), async (client) => ({
    ...(await readTeamOverview(client, { now, since, timezone, version })),
    budgets: await readTeamBudgets(client, { budgets, timezone, weekStart, now }),
  }));
  if (context.json) printDocument(context.out, documentOf(found));
  else context.out.print(page(context, found));
  return ExitCode.done;
}

type Found = TeamOverview & { budgets: BudgetReport };

function documentOf({ daily, byAuthor, budgets, ...rest }: Found): object {
  const last30Days = { ...daily.totals, unpriced: daily.unpriced };
  return { ...rest, last30Days, authors: byAuthor.rows, budgets: budgets.limits };
}

function page(context: Context, found: Found): string[] {
  const { bold, dim } = context.out.paint;
  const { place, sessions, lastPushAt, daily, byAuthor, dearest, budgets } = found;
  const title = `${bold("sessiondb")} ${dim(`${packageFacts().version}, the team at ${oneLine(place)}`)}`;
  if (sessions === 0)
    return [title, "", ...wrapWords("Nothing was pushed yet: sessiondb push does it.", context.out.width)];
  return [
    title,
    "",
    ...countLines(context, countsOf(found)),
    "",
    ...costLines(context, { last30Days: daily.totals }, daily),
    ...unpricedLine(context, found),
    "",
    ...(budgets.limits.length > 0 ? [...budgetLines(context, budgets), ""] : []),
    ...(byAuthor.rows.length > 1 ? [...usageTable(context, byAuthor), ""] : []),
    ...(dearest.length > 0
      ? [...answerTable(context, teamSessionColumns(context, dearest), dearest), ""]
      : []),
    ...(lastPushAt === null ? [] : [dim(`Last push ${shownWhenSince(context, lastPushAt)}`)]),
    ...found.troubled.flatMap((device) => troubleLine(context, device)),
    "",
    ...stepLines(context, NEXT_STEPS),
  ];
}

function countsOf({ people, sessions, subagents, projects, devices }: Found): string[] {
  return [
    plural(people, "person", "people"),
    plural(sessions, "session"),
    ...(subagents === 0 ? [] : [`+ ${plural(subagents, "sub-agent")}`]),
    plural(projects, "project"),
    plural(devices, "device"),
  ];
}

/** How much of what was asked has no price, so that its cost is not known. */
function unpricedLine({ out }: Context, { daily }: TeamOverview): string[] {
  const { unpriced, totals } = daily;
  if (unpriced === 0) return [];
  const share = Math.max(1, Math.round((unpriced / totals.requests) * 100));
  return wrapWords(`Not priced: ${share}% of the requests (${plural(unpriced, "request")}).`, out.width).map(
    out.paint.dim,
  );
}

function troubleLine(context: Context, device: TroubledDevice): string[] {
  const { out } = context;
  const { author, label, client, lastPushAt, waiting } = device;
  const reasons = {
    silent: `silent, last push ${shownWhen(context, lastPushAt)}`,
    old: `runs sessiondb ${client}`,
    behind: `${plural(waiting, "session")} to come`,
  };
  const why = device.why.map((each) => reasons[each]).join("; ");
  return wrapWords(oneLine(`${author} on ${label}: ${why}`), out.width).map(out.paint.yellow);
}

const NEXT_STEPS = [
  ["sessiondb usage author --team", "who has spent how much"],
  ["sessiondb usage model --team --all", "on which models"],
  ["sessiondb search --team <words>", "who has worked on this before"],
  ["sessiondb team status", "every device, and when it pushed"],
] as const;
