import { startDaemon } from "../../daemon/control/control.ts";
import type { Launch } from "../../daemon/control/process.ts";
import { logPathOf } from "../../daemon/main.ts";
import { Interrupted } from "../runtime/cancellation.ts";
import type { Context } from "./command.ts";

/**
 * Starts the daemon in the background, as `startDaemon` does. It would hear nothing of a Ctrl-C while it is waited for:
 * so it is ended, and nobody finds a daemon later that was not to be.
 *
 * @throws SessionDbError as `startDaemon`; Interrupted
 */
export function startInBackground(
  { config, world }: Context,
  launch: Launch,
): ReturnType<typeof startDaemon> {
  const { location } = config;
  return world.interruptible(async (signal) => {
    try {
      return await startDaemon(launch, location, logPathOf(location), { signal });
    } catch (error) {
      throw signal.aborted && error === signal.reason ? new Interrupted("no daemon was started") : error;
    }
  });
}
