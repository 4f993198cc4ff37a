import { dateOf, projectOf } from "../panels/draw.ts";
import type { SessionRow } from "../panels/known-sessions.ts";
import { type PanelTools, sessionSource } from "../panels/session-source.ts";
import { oneLine } from "../panels/text.ts";
import { isOnScreen, openPanel, resumeSession, say, telling } from "./dialogs.ts";
import type { Command, CommandContext, Pi } from "./host.ts";
import { actionsInPi, isResuming } from "./panel-actions.ts";

/** Sessions named where there is no screen. */
const FEW = 20;

type Tools = PanelTools & { pi: Pick<Pi, "setSessionName"> };

/** `/sessions`: all sessions of all projects, last active first. */
export function sessionsCommand(tools: Tools): Command {
  return {
    description: "Pick a session of any project and resume it",
    handler: telling(async (args, context) => {
      const query = args.trim();
      if (isOnScreen(context)) await pickOnScreen(query, tools, context);
      else await pickInText(query, tools, context);
    }),
  };
}

async function pickOnScreen(query: string, tools: Tools, context: CommandContext): Promise<void> {
  const source = { ...sessionSource(tools, context.cwd), actions: actionsInPi(tools, context, tools.pi) };
  const { choice, insert } = await openPanel<SessionRow>(source, query, context);
  if (choice === undefined) return;
  if (isResuming(choice.action)) await resumeSession(choice.row.path, context);
  else insert(mentionOf(choice.row));
}

async function pickInText(
  query: string,
  { sessions, catchUp }: PanelTools,
  context: CommandContext,
): Promise<void> {
  const { cwd } = context;
  await catchUp.run(cwd);
  await sessions.read(cwd, { all: true });
  const few = sessions.matching({ query, here: false }, cwd).slice(0, FEW);
  if (few.length === 0) return say(context, "No session matches.");
  const lines = few.map(
    (each, at) => `${at + 1}. ${each.title} · ${projectOf(each.cwd)} · ${dateOf(each.modified)}`,
  );
  if (!context.hasUI) {
    return say(context, few.map((each, at) => `${lines[at]}\n   ${oneLine(each.path)}`).join("\n"));
  }
  const chosen = await context.ui.select("Resume which session?", lines);
  const session = chosen === undefined ? undefined : few[lines.indexOf(chosen)];
  if (session) await resumeSession(session.path, context);
}

/**
 * Enough for the model to find the session: the command line takes the path. A title that is not a name was typed as a
 * message, and may hold a secret.
 */
export function mentionOf({ name, cwd, modified, path }: SessionRow): string {
  const called = name === "" ? "" : ` "${name}"`;
  return `Our earlier session${called} (${oneLine(cwd)}, ${dateOf(modified)}): ${oneLine(path)}\n`;
}
