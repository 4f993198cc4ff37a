import { isAbsolute } from "node:path";
import { startDaemon } from "../../../daemon/control/control.ts";
import { HEAP_OPTIONS, type Launch } from "../../../daemon/control/process.ts";
import { logPathOf } from "../../../daemon/main.ts";
import { Interrupted } from "../../runtime/cancellation.ts";
import { type Args, textOf, textsOf } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";
import { mainProgram } from "../place-options.ts";

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

/**
 * The command line that runs this program as the daemon of the same places, from any folder and with any
 * environment. It repeats what flags and environment say; the rest is read anew at each start.
 */
export function daemonLaunch({ config, world }: Context, args: Args): Launch {
  const { env } = world;
  const places: string[] = [];
  const isAgentDirNamed = textOf(args, "agent-dir") !== undefined;
  const ofEnvironment = !isAgentDirNamed && Boolean(env.PI_CODING_AGENT_DIR);
  // As an option `--agent-dir` has precedence over the configuration file, which the environment has not: so what the
  // file says is repeated as options, too.
  const hidden = ofEnvironment ? config.inFile : { sessionsDirs: false, db: false };
  if (isAgentDirNamed || ofEnvironment) places.push("--agent-dir", config.agentDir);
  const areRootsOfEnvironment = !isAgentDirNamed && Boolean(env.PI_CODING_AGENT_SESSION_DIR);
  if (textsOf(args, "sessions-dir").length > 0 || areRootsOfEnvironment || hidden.sessionsDirs) {
    places.push(...config.roots.flatMap((root) => ["--sessions-dir", root]));
  }
  if (textOf(args, "db") !== undefined || hidden.db) places.push("--db", config.location.indexPath);
  const isConfigNamed = textOf(args, "config") !== undefined || isAbsolute(env.XDG_CONFIG_HOME ?? "");
  if (isConfigNamed) places.push("--config", config.configPath);
  return [process.execPath, ...HEAP_OPTIONS, mainProgram(), "daemon", "run", ...places];
}
