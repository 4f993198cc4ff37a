import type { Context } from "./command.ts";
import { oneLine } from "./output/sanitise.ts";

/** Waits a moment for a daemon that has just begun to say who it is. */
export async function alreadyRunning({ config }: Context): Promise<string> {
  const { answerOf } = await import("../../daemon/control.ts");
  const status = await answerOf(config.location);
  if (status === null) return "A daemon was running and has just ended; try again.";
  return `A daemon is already running (process ${status.pid}, version ${oneLine(status.version)}).`;
}
