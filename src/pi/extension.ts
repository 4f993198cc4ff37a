import { BackgroundSync } from "../panels/background-sync.ts";
import { CommandLine, CommandLineError, type Run, runProgram } from "../panels/command-line.ts";
import { moneyOf } from "../panels/draw.ts";
import { type Json, numberOf } from "../panels/json-document.ts";
import { KnownSessions } from "../panels/known-sessions.ts";
import { BudgetNotes } from "./budget-notes.ts";
import { isOnScreen } from "./dialogs.ts";
import type { Context, Pi, Tool } from "./host.ts";
import { knownPrograms, ownAdvice } from "./own-program.ts";
import { PageCommand } from "./page-command.ts";
import { searchCommand } from "./search-command.ts";
import { searchTool } from "./search-tool.ts";
import { sessionNames } from "./session-names.ts";
import { sessionsCommand } from "./sessions-command.ts";
import { usageCommand } from "./usage-command.ts";

/** The flag of pi with which the model finds the tool when it looks for one, instead of being told of it each time. */
const DEFERRED = "defer-session-search";
/** Flags that switch off what is there otherwise. */
const NO_COST = "no-cost-today";
const NO_NAMES = "no-session-names";

/**
 * What pi loads: commands for people and a tool for the model, all answered by the command line. Nothing is started
 * before a session begins: pi also loads extensions where none does.
 */
export default function extension(pi: Pi, run: Run = runProgram): void {
  const commandLine = new CommandLine(knownPrograms(), run, ownAdvice());
  const catchUp = new BackgroundSync(commandLine);
  const budgets = new BudgetNotes(commandLine, {
    isShown: () => pi.getFlag(NO_COST) !== true,
    show: showCost,
  });
  const sessions = new KnownSessions(commandLine);
  const page = new PageCommand(commandLine);

  const tools = { commandLine, catchUp, sessions, pi };
  pi.registerCommand("search", searchCommand(tools));
  pi.registerCommand("sessions", sessionsCommand(tools));
  pi.registerCommand("usage", usageCommand(commandLine));
  pi.registerCommand("page", page);
  const tool = searchTool(commandLine);
  pi.registerTool(tool);
  registerFlags(pi);

  pi.on("session_start", ({ reason }, context) => {
    if (pi.getFlag(DEFERRED) === true) deferTool(pi, tool);
    // Not for sub-agents, which have no screen and live for one task: they ask when they need something.
    if (!isOnScreen(context)) return;
    if (pi.getFlag(NO_NAMES) !== true)
      context.ui.addAutocompleteProvider?.(sessionNames(sessions, context.cwd));
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

function registerFlags(pi: Pi): void {
  const flags = {
    [DEFERRED]: "Let the model find session_search by tool_search (or codemode) instead of declaring it",
    [NO_COST]: "Do not show in the footer what today has cost",
    [NO_NAMES]: "Do not complete #words to earlier sessions",
  };
  for (const [name, description] of Object.entries(flags))
    pi.registerFlag(name, { description, type: "boolean" });
}

/** Says in pi's footer what today has cost so far; nothing while that is nothing. Older versions have no place for it. */
function showCost(today: Json, { ui }: Context): void {
  const cost = numberOf(today.cost);
  ui.setStatus?.("sessiondb", cost === 0 ? undefined : `today ${moneyOf(cost)}`);
}

/** What is asked in the background. */
interface Background {
  catchUp: BackgroundSync;
  budgets: BudgetNotes;
  sessions: KnownSessions;
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
