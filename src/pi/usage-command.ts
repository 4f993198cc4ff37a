import type { CommandLine } from "./command-line.ts";
import { compact, moneyOf, projectOf } from "./draw.ts";
import type { Command, CommandContext } from "./host.ts";
import { type Json, numberOf, objectOf, objectsIn, textOf } from "./json.ts";
import { oneLine } from "./plain.ts";
import { say, telling } from "./speak.ts";

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
  // The first question catches up; the others need not.
  const recent = await commandLine.ask(["usage", "statusline"], { cwd });
  const ask = (...words: string[]): Promise<Json> =>
    commandLine.ask(["usage", ...words, "--no-sync"], { cwd });
  const [models, project] = await Promise.all([
    ask("model", "--since", "today"),
    ask("session", "--all", "--project", cwd),
  ]);
  const own = context.sessionManager.getSessionFile();
  const session = objectsIn(project.rows).find(({ path }) => own !== undefined && path === own);
  return table([
    ["Today", objectOf(recent.today)],
    ["Last 7 days", objectOf(recent.last7Days)],
    ["Last 30 days", objectOf(recent.last30Days)],
    ["This session", session ?? {}],
    [`This project (${projectOf(cwd)})`, objectOf(project.totals)],
    ...objectsIn(models.rows)
      .slice(0, MOST_MODELS)
      .map((row): [string, Json] => [`Today, ${oneLine(textOf(row.key))}`, row]),
  ]);
}

function table(rows: [name: string, sums: Json][]): string {
  const cells = rows.map(([name, sums]) => [
    name,
    moneyOf(numberOf(sums.cost)),
    `${compact(numberOf(sums.totalTokens))} tokens`,
    `${numberOf(sums.requests)} requests`,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map(([name = "", ...numbers]) =>
      [name.padEnd(widths[0] ?? 0), ...numbers.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join(
        "  ",
      ),
    )
    .join("\n");
}
