import { followExclusions } from "../../api/exclusions.ts";
import { tildePath } from "../../files/paths.ts";
import { oneLine } from "../../text/sanitise.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { packageFacts } from "../command-line/package.ts";
import { exitCodeOf } from "../terminal/signals.ts";
import { pushAtIntervals } from "./pusher.ts";

interface DaemonTalk {
  /** Whether it says that it has begun. */
  tells: boolean;
  /** Told of each file that has changed; of none in particular after a look at everything. */
  onChange?: (path: string | undefined) => void;
}

/**
 * Runs as the daemon until it is told to end. With `tells` it says so; where another daemon runs already, it says that.
 * Resolves to the exit code: only a terminal that is closed is another end than the one that was asked for.
 */
export async function beDaemon(context: Context, { tells, onChange }: DaemonTalk): Promise<number> {
  const { config, world, talk } = context;
  const { runDaemon, untilToldToEnd } = await import("../../../daemon/main.ts");
  const place = { roots: config.roots, location: config.location, version: packageFacts().version };
  const exclusions = followExclusions(config, context.readConfig);
  const runtimeDir = world.env.XDG_RUNTIME_DIR;
  let hasBegun = false;
  const onStart = (): void => {
    if (tells && !hasBegun) talk.say("Watching; press Ctrl-C to stop.");
    hasBegun = true;
  };
  let ended: AbortSignal | undefined;
  const pushing = pushAtIntervals(context);
  const running = untilToldToEnd((signal) => {
    ended = signal;
    const told = { onStart, ...(onChange && { onChange }) };
    return runDaemon({ ...place, ...exclusions, runtimeDir, now: world.now, ...told, signal });
  });
  const ran = await running.finally(pushing.end);
  if (!ran) talk.say(await alreadyRunning(context));
  return talk.isTerminal && ended?.reason === "SIGHUP" ? exitCodeOf("SIGHUP") : ExitCode.done;
}

/**
 * Describes the daemon that runs already. Waits a moment for one that has just begun and has not said who it is.
 * @throws SessionDbError `usage` where that daemon keeps another index
 */
export async function alreadyRunning({ config, world }: Context): Promise<string> {
  const { answerOf, ofIndex } = await import("../../../daemon/control/control.ts");
  const { isElsewhere } = await import("../../../daemon/control/lease.ts");
  const status = await answerOf(config.location);
  if (status === null) return "A daemon was running and has just ended; try again.";
  const { pid, version, roots } = ofIndex(config.location, status);
  const elsewhere = isElsewhere(config.location);
  const who = elsewhere ? "in another container or on another machine" : `process ${pid}`;
  const runs = `A daemon is already running (${who}, version ${oneLine(version)}).`;
  // Not for a daemon in another container or on another machine: there the same folders may have other names.
  const unwatched = elsewhere ? [] : config.roots.filter((root) => !roots.includes(root));
  if (unwatched.length === 0) return runs;
  const names = unwatched.map((root) => oneLine(tildePath(root, world.home))).join(", ");
  return `${runs} It does not watch ${names}; to change that, run sessiondb daemon restart with the same options.`;
}
