import { existsSync } from "node:fs";
import process from "node:process";
import { CommandLineError } from "../panels/command-line.ts";
import { Panel } from "../panels/panel.ts";
import type { Choice, PanelSource } from "../panels/panel-source.ts";
import type { Screen } from "../panels/screen.ts";
import { oneLine, realPathOf } from "../panels/text.ts";
import type { CommandContext, Context, Dialogs } from "./host.ts";
import { loadTui } from "./packages.ts";

/**
 * Whether pi draws its own screen for a person. Versions without `mode` do so only if standard output is a terminal.
 */
export function isOnScreen({ mode, hasUI }: Context): boolean {
  return mode === undefined ? hasUI && process.stdout.isTTY === true : mode === "tui";
}

/**
 * Gives an answer to a command. Where there is no screen it goes to standard error: pi keeps standard output for the
 * model's last message, or for JSON.
 */
export function say(context: Context, text: string, type: "info" | "warning" | "error" = "info"): void {
  if (context.hasUI) context.ui.notify(text, type);
  else process.stderr.write(`${text}\n`);
}

/** Wraps a command: an error of the command line is told in one line. */
export function telling(run: (args: string, context: CommandContext) => Promise<void>): typeof run {
  return async (args, context) => {
    try {
      await run(args, context);
    } catch (error) {
      if (!(error instanceof CommandLineError)) throw error;
      say(context, error.message, "error");
    }
  };
}

/** Switches to another session, as pi's own `/resume` does; with an entry as `/tree` goes to that. */
export async function resumeSession(path: string, context: CommandContext, entry?: string): Promise<void> {
  if (realPathOf(path) === realPathOf(context.sessionManager.getSessionFile() ?? "")) {
    if (entry === undefined) return say(context, "You are in this session already.");
    await context.navigateTree(entry);
    return;
  }
  // For a file that is gone, pi would begin a new session under its name.
  if (!existsSync(path)) {
    return say(
      context,
      `The session is gone: ${oneLine(path)} (if it is archived, sessiondb restore brings it back)`,
      "warning",
    );
  }
  // Some versions of pi would empty the file.
  if (path.endsWith(".json")) {
    const text = `pi cannot open a session that is one JSON array. sessiondb resume says what to do: ${oneLine(path)}`;
    return say(context, text, "warning");
  }
  if (!context.isIdle()) {
    const leave = await context.ui.confirm(
      "The agent is still working here",
      "Stop it and resume the other session?",
    );
    if (!leave) return;
  }
  if (entry === undefined) await context.switchSession(path);
  else
    await context.switchSession(path, {
      withSession: async (there) => void (await there.navigateTree(entry)),
    });
}

/** How a panel ended. */
export interface PanelEnd<Row> {
  choice: Choice<Row>;
  /** Puts a text where the next message is written. pi would draw it only with the next key, so it is told to draw. */
  insert(text: string): void;
}

/** Shows a panel until something is chosen in it. */
export async function openPanel<Row>(
  source: PanelSource<Row>,
  query: string,
  { ui }: CommandContext,
): Promise<PanelEnd<Row>> {
  const tui = await loadTui();
  let drawnOn: Screen | undefined;
  const choice = await ui.custom<Choice<Row>>((screen, theme, keys, done) => {
    drawnOn = screen;
    return new Panel(source, { tui, screen, theme, keys, done }, query);
  });
  return { choice, insert: (text) => insertInto(ui, drawnOn, text) };
}

export function insertInto(
  ui: Pick<Dialogs, "pasteToEditor">,
  screen: Pick<Screen, "requestRender"> | undefined,
  text: string,
): void {
  ui.pasteToEditor(text);
  screen?.requestRender();
}
