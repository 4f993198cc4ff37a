import { hitSource } from "../panels/hit-source.ts";
import { findHits, type Hit } from "../panels/hits.ts";
import { isHit } from "../panels/row-preview.ts";
import type { PanelTools } from "../panels/session-source.ts";
import { cutTo, oneLine, plainLines } from "../panels/text.ts";
import { isOnScreen, openPanel, resumeSession, say, telling } from "./dialogs.ts";
import type { Command, CommandContext, Pi } from "./host.ts";
import { actionsInPi, entryToResumeAt, isResuming } from "./panel-actions.ts";
import { hitsAsText } from "./search-tool.ts";
import { mentionOf } from "./sessions-command.ts";

/** How many hits are listed where there is no screen. */
const FEW = 10;
/** How many entries on each side of a hit are inserted with it, and the most characters of all that. */
const NEIGHBOURS = 2;
const MOST_INSERTED = 6000;

type Tools = PanelTools & { pi: Pick<Pi, "setSessionName"> };

/** `/search`: shows hits of all sessions while a query is typed; then resumes one, or inserts its words. */
export function searchCommand(tools: Tools): Command {
  return {
    description: "Search every session of every project",
    handler: telling(async (args, context) => {
      const query = args.trim();
      if (isOnScreen(context)) await searchOnScreen(query, tools, context);
      else if (context.hasUI) await searchInDialogs(query, tools, context);
      else await searchInText(query, tools, context);
    }),
  };
}

async function searchOnScreen(query: string, tools: Tools, context: CommandContext): Promise<void> {
  const source = { ...hitSource(tools, context.cwd), actions: actionsInPi(tools, context, tools.pi) };
  const { choice, insert } = await openPanel(source, query, context);
  if (choice === undefined) return;
  const { row, action } = choice;
  if (isResuming(action)) await resumeSession(row.path, context, entryToResumeAt(row, action));
  else insert(isHit(row) ? await passage(row, tools, context) : mentionOf(row));
}

/** For programs that show dialogs of their own, over RPC. */
async function searchInDialogs(
  query: string,
  { commandLine }: PanelTools,
  context: CommandContext,
): Promise<void> {
  const asked = query || (await context.ui.input("Search every session", "words"))?.trim();
  if (!asked) return;
  const found = await findHits(commandLine, { query: asked, limit: FEW, options: [], cwd: context.cwd });
  const { hits } = found;
  if (hits.length === 0) return say(context, hitsAsText(found));
  const lines = hits.map((hit, index) => `${index + 1}. ${hit.title}: ${cutTo(oneLine(hit.snippet), 120)}`);
  const chosen = await context.ui.select("Resume which session?", lines);
  const hit = chosen === undefined ? undefined : hits[lines.indexOf(chosen)];
  if (hit) await resumeSession(hit.path, context);
}

async function searchInText(query: string, { commandLine }: Tools, context: CommandContext): Promise<void> {
  if (query === "") return say(context, "Give some words: /search parser error");
  const found = await findHits(commandLine, { query, limit: FEW, options: [], cwd: context.cwd });
  say(context, hitsAsText(found));
}

/** The entries around a hit, for the next message to the model. Secrets in them are masked. */
export async function passage(
  hit: Hit,
  { commandLine }: Pick<PanelTools, "commandLine">,
  { cwd }: CommandContext,
): Promise<string> {
  const words = ["show", hit.handle, "--context", String(NEIGHBOURS), "--no-sync"];
  const text = plainLines(await commandLine.print(words, { cwd })).trim();
  return `From an earlier session of ours (${hit.handle}):\n\n${cutTo(text, MOST_INSERTED)}\n\n`;
}
