import type { CatchUp } from "./catch-up.ts";
import { isOnScreen, openPanel, resumeSession, say, telling } from "./dialogs.ts";
import { agoOf, dateOf, endOf, moneyOf, projectIn, projectOf, twoSides } from "./draw.ts";
import type { Command, CommandContext } from "./host.ts";
import type { Paint, PanelSource } from "./panel-view.ts";
import type { SessionRow, SessionRows } from "./session-rows.ts";
import { oneLine } from "./text.ts";

/** Sessions named where there is no screen. */
const FEW = 20;

interface Tools {
  sessions: SessionRows;
  catchUp: CatchUp;
}

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
  const { choice, insert } = await openPanel(sessionSource(tools, context.cwd), query, context);
  if (choice?.action === "resume") await resumeSession(choice.row.path, context);
  if (choice?.action === "insert") insert(mentionOf(choice.row));
}

async function pickInText(
  query: string,
  { sessions, catchUp }: Tools,
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

/** What was known before is shown at once, then the index as it stands, then what a catch-up brings. */
export function sessionSource({ sessions, catchUp }: Tools, cwd: string): PanelSource<SessionRow> {
  const now = Date.now();
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    reading = sessions.read(cwd, { all: true });
    await reading;
  };
  return {
    title: "All sessions",
    hint: "No session matches.",
    rowHeight: 1,
    news: () => [
      read().then(() => true),
      catchUp.run(cwd).then(async (isNews) => {
        if (isNews) await read();
        return isNews;
      }),
    ],
    async find(asked) {
      const known = sessions.matching(asked, cwd);
      if (known.length === 0) await reading;
      const rows = known.length === 0 ? sessions.matching(asked, cwd) : known;
      return { rows, note: `${rows.length} ${rows.length === 1 ? "session" : "sessions"}` };
    },
    keyOf: ({ path }) => path,
    row: (session, paint) => [sessionLine(session, paint, now)],
    detail: sessionDetail,
  };
}

function sessionLine({ title, cwd, modified }: SessionRow, paint: Paint, now: number): string {
  const { theme, chosen } = paint;
  const facts = `${projectIn(paint, cwd)}  ${agoOf(modified, now).padStart(10)}`;
  return twoSides(chosen ? theme.bold(title) : theme.fg("text", title), theme.fg("dim", facts), paint);
}

function sessionDetail(session: SessionRow, paint: Paint): string[] {
  const { tui, theme, width } = paint;
  const { messages, cost, subagents, models, modified, path } = session;
  const money = cost === 0 ? "" : moneyOf(cost);
  const facts = [dateOf(modified), `${messages} messages`, money, withSubagents(subagents), models]
    .filter(Boolean)
    .join(" · ");
  const said = tui.wrapTextWithAnsi(saidIn(session), width).slice(0, 2);
  return [
    ...said.map((line) => theme.fg("muted", line)),
    theme.fg("dim", facts),
    theme.fg("dim", endOf(oneLine(path), paint)),
  ];
}

/** The first message; the title where programs wrote the beginning of that. */
function saidIn({ name, title, firstMessage }: SessionRow): string {
  return name === "" && !firstMessage.startsWith(title) ? title : firstMessage || title;
}

/**
 * Enough for the model to find the session: the command line takes the path. A title that is not a name was typed as a
 * message, and may hold a secret.
 */
export function mentionOf({ name, cwd, modified, path }: SessionRow): string {
  const called = name === "" ? "" : ` "${name}"`;
  return `Our earlier session${called} (${oneLine(cwd)}, ${dateOf(modified)}): ${oneLine(path)}\n`;
}

/** What its sub-agents add to a session; empty where it has none. */
function withSubagents({ sessions, cost }: SessionRow["subagents"]): string {
  if (sessions === 0) return "";
  return `+ ${sessions} ${sessions === 1 ? "sub-agent" : "sub-agents"}${cost === 0 ? "" : `, ${moneyOf(cost)}`}`;
}
