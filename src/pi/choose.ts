import { existsSync } from "node:fs";
import type { CommandContext } from "./host.ts";
import { oneLine } from "./plain.ts";
import { realPathOf } from "./real-path.ts";
import { say } from "./speak.ts";

/** Switches to another session, as pi's own `/resume` does. */
export async function resumeSession(path: string, context: CommandContext): Promise<void> {
  if (realPathOf(path) === realPathOf(context.sessionManager.getSessionFile() ?? "")) {
    return say(context, "You are in this session already.");
  }
  // For a file that is gone, pi would begin a new session under its name.
  if (!existsSync(path)) return say(context, `The session is gone: ${oneLine(path)}`, "warning");
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
  await context.switchSession(path);
}
