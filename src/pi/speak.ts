import process from "node:process";
import { CommandLineError } from "./command-line.ts";
import type { CommandContext, Context } from "./host.ts";

/** A person sits before pi's own screen. Versions without `mode` draw only where standard output is a terminal. */
export function isOnScreen({ mode, hasUI }: Context): boolean {
  return mode === undefined ? hasUI && process.stdout.isTTY === true : mode === "tui";
}

/**
 * An answer to a command. Without anybody to show it to it goes to standard error: pi keeps standard output for the
 * model's last words, or for JSON.
 */
export function say(context: Context, text: string, type: "info" | "warning" | "error" = "info"): void {
  if (context.hasUI) context.ui.notify(text, type);
  else process.stderr.write(`${text}\n`);
}

/** A command whose trouble with the command line is told in one line. */
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
