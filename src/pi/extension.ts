import { BudgetNotes } from "./budget-notes.ts";
import { CatchUp } from "./catch-up.ts";
import { CommandLine, CommandLineError, type Run, runProgram } from "./command-line.ts";
import { isOnScreen } from "./dialogs.ts";
import type { Context, Pi, Tool } from "./host.ts";
import { PageCommand } from "./page-command.ts";
import { searchCommand } from "./search-command.ts";
import { searchTool } from "./search-tool.ts";
import { SessionRows } from "./session-rows.ts";
import { sessionsCommand } from "./sessions-command.ts";
import { usageCommand } from "./usage-command.ts";

/** The flag of pi with which the model finds the tool when it looks for one, instead of being told of it each time. */
const DEFERRED = "defer-session-search";

/**
 * What pi loads: commands for people and a tool for the model, all answered by the command line. Nothing is started
 * before a session begins: pi also loads extensions where none does.
 */
export default function extension(pi: Pi, run: Run = runProgram): void {
  const commandLine = new CommandLine(undefined, run);
  const catchUp = new CatchUp(commandLine);
  const budgets = new BudgetNotes(commandLine);
  const sessions = new SessionRows(commandLine);
  const page = new PageCommand(commandLine);

  pi.registerCommand("search", searchCommand({ commandLine, catchUp }));
  pi.registerCommand("sessions", sessionsCommand({ sessions, catchUp }));
  pi.registerCommand("usage", usageCommand(commandLine));
  pi.registerCommand("page", page);
  const tool = searchTool(commandLine);
  pi.registerTool(tool);
  pi.registerFlag(DEFERRED, {
    description: "Let the model find session_search by tool_search (or codemode) instead of declaring it",
    type: "boolean",
  });

  pi.on("session_start", ({ reason }, context) => {
    if (pi.getFlag(DEFERRED) === true) deferTool(pi, tool);
    // Not for sub-agents, which have no screen and live for one task: they ask when they need something.
    if (!isOnScreen(context)) return;
    if (reason === "startup") void warmUp({ catchUp, budgets, sessions }, context);
    else void budgets.begin(context);
  });
  pi.on("turn_end", (_event, context) => {
    if (isOnScreen(context)) void budgets.turnEnded(context);
  });
  pi.on("session_shutdown", () => {
    catchUp.end();
    budgets.end();
    page.end();
  });
}

/** What is asked in the background. */
interface Background {
  catchUp: CatchUp;
  budgets: BudgetNotes;
  sessions: SessionRows;
}

/** So that the first `/search` and `/sessions` need not wait. */
async function warmUp({ catchUp, budgets, sessions }: Background, context: Context): Promise<void> {
  const { cwd } = context;
  try {
    await catchUp.run(cwd);
    if (!catchUp.hasEnded) await budgets.begin(context);
    if (!catchUp.hasEnded) await sessions.read(cwd, { all: false });
  } catch (error) {
    // Nobody has asked yet; whoever asks later gets the error.
    if (!(error instanceof CommandLineError)) throw error;
  }
}

/** A pi that does not know what `exposure` is goes on declaring the tool, which nothing would find there. */
function deferTool(pi: Pi, tool: Tool): void {
  pi.registerTool({ ...tool, exposure: "deferred" });
  const isDeferred = pi
    .getAllTools()
    .some(({ name, exposure }) => name === tool.name && exposure === "deferred");
  if (isDeferred) pi.setActiveTools(pi.getActiveTools().filter((name) => name !== tool.name));
}
