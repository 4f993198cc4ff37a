import { tildePath } from "../../files/paths.ts";
import type { BudgetReport } from "../../reports/budgets/budget-shapes.ts";
import type { Status } from "../../reports/status.ts";
import type { UsageReport } from "../../reports/usage/usage-shapes.ts";
import { formatBytes, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { cut } from "../../text/width.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { isSet } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { packageFacts } from "../command-line/package.ts";
import type { DaemonFacts } from "../daemon/daemon-status.ts";
import { shownPath, shownWhenSince } from "../output/fields.ts";
import { printDocument } from "../output/json-output.ts";
import { costLines, countLines, stepLines } from "../output/overview-lines.ts";
import { sessionTable } from "../output/session-table.ts";
import { TEAM_OPTION } from "../team/team-options.ts";
import { budgetLines } from "../usage/budget-lines.ts";
import { budgetsIn } from "../usage/budgets-in.ts";
import { DAYS, startOfDaysAgo } from "../usage/usage-period.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

/** As wide as the word before the path of the index. */
const INDENT = "       ";

export const status: Command = {
  options: { ...TEAM_OPTION, ...INDEX_OPTIONS },
  examples: [
    ["$0 search parser error --since 2w", "find what was said, in any project"],
    ["$0 show latest", "read it"],
    ["$0 usage model --all", "what each model has cost"],
    ["$0 resume latest --exec", "continue in pi where you left off"],
    ["$0 list --help", "more about one command"],
  ],
  async run(context, args) {
    if (isSet(args, "team")) return (await import("../team/ask-front-page.ts")).showTeamFrontPage(context);
    const { config, world } = context;
    const { readStatus } = await import("../../reports/status.ts");
    const { sumUsage } = await import("../../reports/usage/usage-report.ts");
    const { roots, timezone } = config;
    const now = world.now();
    // Whole days in the time zone, as `usage` counts them.
    const since = startOfDaysAgo(DAYS, { now, timezone });
    const { found, ...money } = await withIndex(context, args, { search: false }, async (index) => ({
      found: readStatus(index, { now, since, roots }),
      daily: sumUsage(index, { by: "daily", timezone, roots, filter: { since } }),
      budgets: await budgetsIn(index, context),
    }));
    const service = (await import("../daemon/daemon-status.ts")).readDaemonStatus(config);
    if (context.json) printDocument(context.out, { ...documentOf(found, config), daemon: service });
    else printFrontPage(context, found, money, service);
    return ExitCode.done;
  },
};

function documentOf({ recent: _recent, ...rest }: Status, { location }: Context["config"]): object {
  // An index that was made for this answer alone is not where the next one will be.
  return { ...rest, index: { ...rest.index, path: location.indexPath, searchPath: location.searchPath } };
}

function printFrontPage(
  context: Context,
  found: Status,
  { daily, budgets }: { daily: UsageReport; budgets: BudgetReport },
  service: DaemonFacts,
): void {
  const { out } = context;
  const { bold, dim } = out.paint;
  const { sessions, subagents, projects, entries, sizeBytes } = found;
  const title = `${bold("sessiondb")} ${dim(packageFacts().version)}`;
  if (sessions === 0) {
    out.print([title, "", ...emptyPage(context)]);
    return;
  }
  const counts = [
    plural(sessions, "session"),
    ...(subagents === 0 ? [] : [`+ ${plural(subagents, "sub-agent")}`]),
    plural(projects, "project"),
    plural(entries, "entry", "entries"),
  ];
  out.print([
    title,
    "",
    ...countLines(context, [...counts, formatBytes(sizeBytes)]),
    "",
    ...costLines(context, found, daily),
    "",
    ...(budgets.limits.length === 0 ? [] : [...budgetLines(context, budgets), ""]),
    ...sessionTable(context, found.recent),
    "",
    ...(context.world.isDemo ? [] : [...indexLines(context, found), ...daemonLines(context, service), ""]),
    ...nextSteps(context, found, service),
  ]);
}

function indexLines(context: Context, { index, lastSyncAt }: Status): string[] {
  const { out } = context;
  const { dim, yellow } = out.paint;
  const room = (out.width ?? Number.POSITIVE_INFINITY) - INDENT.length;
  const place = cut(shownPath(context, index.path), room, "path");
  const { bytes, searchBytes } = index;
  const fullText = searchBytes > 0 ? `${formatBytes(searchBytes)} of` : "no";
  const below = (text: string): string[] => wrapWords(text, room).map((line) => INDENT + line);
  const size = below(`${formatBytes(bytes - searchBytes)} and ${fullText} full text`);
  const change = lastSyncAt === null ? [] : below(`last change read ${shownWhenSince(context, lastSyncAt)}`);
  const behind =
    index.behind === 0 || isBeingMade(context, index)
      ? []
      : below(`${plural(index.behind, "entry", "entries")} not searchable yet`);
  return [...[`Index  ${place}`, ...size, ...change].map(dim), ...behind.map(yellow)];
}

/** Says nothing about a daemon that does not run: none is needed. */
function daemonLines({ out }: Context, { running, state, degraded }: DaemonFacts): string[] {
  if (!running) return [];
  const { dim, yellow } = out.paint;
  if (degraded === null) return [dim(`Daemon ${state}`)];
  return wrapWords(`Daemon degraded: ${oneLine(degraded)}`, out.width).map(yellow);
}

/** The full text of a new index is made by this command, after the page. */
function isBeingMade({ talk }: Context, { searchBytes }: Status["index"]): boolean {
  return talk.isTerminal && searchBytes === 0;
}

function nextSteps(context: Context, { index }: Status, { running }: DaemonFacts): string[] {
  const steps: [string, string][] = context.world.isDemo
    ? [
        ["sessiondb demo search timezone", "find what was said, at any time"],
        ["sessiondb demo show latest", "read it"],
        ["sessiondb demo usage --all", "what each day has cost"],
        ["sessiondb demo serve", "all of it in your browser"],
      ]
    : [
        index.behind > 0 && !isBeingMade(context, index)
          ? ["sessiondb sync", "make everything searchable"]
          : ["sessiondb search <words>", "find what was said, at any time"],
        ["sessiondb browse", "pick a session while you type, and resume it"],
        ["sessiondb usage", "what each day has cost"],
        ["sessiondb serve", "all of it in your browser"],
        running
          ? ["sessiondb resume latest --exec", "continue where you left off"]
          : ["sessiondb daemon install", "keep the index always up to date"],
      ];
  return stepLines(context, steps);
}

function emptyPage(context: Context): string[] {
  const { out, world, config } = context;
  const places = config.roots.map((root) => `  ${oneLine(tildePath(root, world.home))}`);
  return [
    ...wrapWords("No pi sessions yet. Looked in:", out.width),
    ...places,
    "",
    ...stepLines(context, [
      ["sessiondb demo", "try everything on bundled sessions"],
      ["sessiondb --sessions-dir DIR", "look for sessions elsewhere"],
    ]),
  ];
}
