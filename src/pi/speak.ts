import process from "node:process";
import { CommandLineError } from "./command-line.ts";
import type { CommandContext, Context } from "./host.ts";

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
