import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { HEAP_OPTIONS, type Launch } from "../../daemon/control/process.ts";
import { moduleAt } from "../file/module-beside.ts";
import { type Args, textOf, textsOf } from "./args.ts";
import type { Context } from "./command.ts";

/**
 * The command line that runs this program as the daemon of the same places, from any folder and with any
 * environment. It repeats what flags and environment say; the rest is read anew at each start.
 */
export function daemonLaunch({ config, world }: Context, args: Args): Launch {
  const main = fileURLToPath(moduleAt("src/cli/main"));
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
  return [process.execPath, ...HEAP_OPTIONS, main, "daemon", "run", ...places];
}
