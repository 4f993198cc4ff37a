import type { CommandLine } from "../panels/command-line.ts";
import { compact, moneyOf } from "../panels/draw.ts";
import { type Json, numberOf, objectOf, objectsIn, textOf } from "../panels/json-document.ts";
import { oneLine, realPathOf } from "../panels/text.ts";
import { say, telling } from "./dialogs.ts";
import type { Command, CommandContext } from "./host.ts";

const MOST_MODELS = 4;

/** `/usage`: what today, this session and this project cost. */
export function usageCommand(commandLine: CommandLine): Command {
  return {
    description: "Tokens and cost: today, this session, this project",
    handler: telling(async (_args, context) => say(context, await usageText(commandLine, context))),
  };
}

async function usageText(commandLine: CommandLine, context: CommandContext): Promise<string> {
  const { cwd } = context;
  // The first question brings the index up to date; the others need not.
  const recent = await commandLine.ask(["usage", "statusline"], { cwd });
  const ask = (...words: string[]): Promise<Json> =>
    commandLine.ask(["usage", ...words, "--no-sync"], { cwd });
  const [models, project, session] = await Promise.all([
    ask("model", "--since", "today"),
    ask("project", "--all", "--project", cwd),
    sessionSums(commandLine, context),
  ]);
  return table([
    ["Today", objectOf(recent.today)],
    ["Last 7 days", objectOf(recent.last7Days)],
    ["Last 30 days", objectOf(recent.last30Days)],
    ["This session", session.whole],
    ...(numberOf(session.inherited.requests) > 0
      ? [["  copied from its parent", session.inherited] as [string, Json]]
      : []),
    ...(numberOf(session.family.requests) > 0
      ? [["  with its sub-agents", session.family] as [string, Json]]
      : []),
    ["This project", objectOf(project.totals)],
    ...objectsIn(models.rows)
      .slice(0, MOST_MODELS)
      .map((row): [string, Json] => [`Today, ${oneLine(textOf(row.key))}`, row]),
  ]);
}

/** All usage of a session, as pi's own footer adds it up, and the part of it that was spent in the session it forks. */
const SESSION_SUMS = `SELECT cost, total_tokens AS totalTokens, requests, inherited_cost, inherited_total_tokens,
  inherited_requests, (SELECT json_object('cost', f.cost, 'totalTokens', f.total_tokens, 'requests', f.requests)
    FROM usage_by_family f WHERE f.path = s.path AND s.subagents > 0) AS family
  FROM session_summary s WHERE path = (SELECT path FROM files WHERE real_path = ?)`;

async function sessionSums(
  commandLine: CommandLine,
  { cwd, sessionManager }: CommandContext,
): Promise<{ whole: Json; inherited: Json; family: Json }> {
  const path = realPathOf(sessionManager.getSessionFile() ?? "");
  const line = await commandLine.print(["sql", "--nl", "--no-sync", SESSION_SUMS, path], { cwd });
  const whole = line.trim() === "" ? {} : objectOf(JSON.parse(line));
  const inherited = {
    cost: whole.inherited_cost,
    totalTokens: whole.inherited_total_tokens,
    requests: whole.inherited_requests,
  };
  const family = typeof whole.family === "string" ? objectOf(JSON.parse(whole.family)) : {};
  return { whole, inherited, family };
}

function table(rows: [name: string, sums: Json][]): string {
  const figures = rows.map(([name, sums]) => [
    name,
    costOf(sums),
    compact(numberOf(sums.totalTokens)),
    String(numberOf(sums.requests)),
  ]);
  const cells = [["", "Cost", "Tokens", "Requests"], ...figures];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map(([name = "", ...numbers]) =>
      [name.padEnd(widths[0] ?? 0), ...numbers.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join(
        "  ",
      ),
    )
    .join("\n");
}

/** Tokens without any cost were not free: their price is not known. */
function costOf({ cost, totalTokens }: Json): string {
  const isPriced = numberOf(cost) !== 0 || numberOf(totalTokens) === 0;
  return isPriced ? moneyOf(numberOf(cost)) : "not priced";
}
