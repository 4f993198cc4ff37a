import type { Context } from "./command.ts";
import { followExclusions } from "./exclusions.ts";
import { oneLine } from "./output/sanitise.ts";
import { packageFacts } from "./package.ts";

/** Runs as the daemon until it is told to end, and says so to those who wait; where another one runs already, says that. */
export async function beDaemon(context: Context, { tells }: { tells: boolean }): Promise<void> {
  const { config, world, talk } = context;
  const { runDaemon, untilToldToEnd } = await import("../../daemon/main.ts");
  const place = { roots: config.roots, location: config.location, version: packageFacts().version };
  const exclusions = followExclusions(config, context.readConfig);
  const runtimeDir = world.env.XDG_RUNTIME_DIR;
  let hasBegun = false;
  const onStart = (): void => {
    if (tells && !hasBegun) talk.print("Watching; Ctrl-C ends it.");
    hasBegun = true;
  };
  const ran = await untilToldToEnd((signal) =>
    runDaemon({ ...place, ...exclusions, runtimeDir, now: world.now, onStart, signal }),
  );
  if (!ran) talk.print(await alreadyRunning(context));
}

/** Waits a moment for a daemon that has just begun to say who it is. */
export async function alreadyRunning({ config }: Context): Promise<string> {
  const { answerOf } = await import("../../daemon/control.ts");
  const { isElsewhere } = await import("../../daemon/lease.ts");
  const status = await answerOf(config.location);
  if (status === null) return "A daemon was running and has just ended; try again.";
  const who = isElsewhere(config.location)
    ? "in another container or on another machine"
    : `process ${status.pid}`;
  return `A daemon is already running (${who}, version ${oneLine(status.version)}).`;
}
