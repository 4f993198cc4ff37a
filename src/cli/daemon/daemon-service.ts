import { spawnSync } from "node:child_process";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { stopDaemon } from "../../../daemon/control/control.ts";
import {
  type Installed,
  installService,
  isAsInstalled,
  isSomeInstalled,
  previewService,
  uninstallService,
} from "../../../daemon/service/install.ts";
import type { RunProgram, ServicePlace } from "../../../daemon/service/mechanisms.ts";
import {
  readServiceRecord,
  removeServiceRecord,
  writeServiceRecord,
} from "../../../daemon/service/registration.ts";
import { codeOf } from "../../errors.ts";
import { makeFolder } from "../../files/folder.ts";
import { oneLine } from "../../text/sanitise.ts";
import { type Args, isSet } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { daemonLaunch, startInBackground } from "./daemon-start.ts";

/** How long a service manager may take to answer; after that there counts as being none. */
const PATIENCE_MS = 20_000;

const ONLY_ONE =
  "It replaces what started another index's daemon: only the daemon installed last starts at login.";
const MAY_RUN =
  "It started another index's daemon, which may still be running; to stop it, run sessiondb daemon stop with its --agent-dir or --db.";

export async function install(context: Context, args: Args): Promise<number> {
  const { config, out, talk } = context;
  const launch = daemonLaunch(context, args);
  if (isSet(args, "print")) {
    const { path, text } = previewService(servicePlaceOf(context), launch, runProgram);
    talk.print(oneLine(path));
    out.stream.write(text);
    return ExitCode.done;
  }
  const folder = dirname(config.location.indexPath);
  const isOthers = readServiceRecord(folder) === null && isSomeInstalled(servicePlaceOf(context));
  makeFolder(folder, 0o700);
  // One that was started by hand would keep the service's from starting.
  const stopped = await stopDaemon(config.location);
  const start = () => startInBackground(context, launch);
  let installed: Installed;
  try {
    installed = installService(servicePlaceOf(context), launch, runProgram);
  } catch (error) {
    if (stopped !== null) await start();
    throw error;
  }
  const { mechanism, unchanged } = installed;
  writeServiceRecord(folder, { mechanism: mechanism.name, path: mechanism.path, launch });
  talk.say(`${unchanged ? "Already there" : "Written"}: ${oneLine(mechanism.path)}`);
  if (isOthers && !unchanged) talk.say(ONLY_ONE);
  if (!mechanism.startsNow) await start();
  talk.say("The daemon has been started, and will start at every login.");
  return ExitCode.done;
}

export async function uninstall(context: Context): Promise<number> {
  const { config, talk } = context;
  const folder = dirname(config.location.indexPath);
  const record = readServiceRecord(folder);
  const isOwn = record !== null && isAsInstalled(servicePlaceOf(context), record);
  const removed = uninstallService(servicePlaceOf(context), runProgram);
  removeServiceRecord(folder);
  for (const path of removed) talk.say(`Removed: ${oneLine(path)}`);
  talk.say(removed.length > 0 ? "The daemon no longer starts at login." : "Nothing was installed.");
  if (removed.length > 0 && !isOwn) talk.say(MAY_RUN);
  // Last, for one that cannot be ended from here is no reason not to say what was done.
  await stopDaemon(config.location);
  return ExitCode.done;
}

export function servicePlaceOf({ world, config }: Context): ServicePlace {
  const { uid, username } = whoAsks(world);
  return {
    platform: process.platform,
    home: world.home,
    env: world.env,
    uid,
    userName: username,
    stateFolder: dirname(config.location.indexPath),
  };
}

/** In a container an arbitrary user may have no name. */
function whoAsks({ env }: Context["world"]): { uid: number; username: string } {
  try {
    return userInfo();
  } catch (error) {
    if (codeOf(error) !== "ERR_SYSTEM_ERROR") throw error;
    return { uid: process.geteuid?.() ?? -1, username: env.USER ?? "" };
  }
}

const runProgram: RunProgram = (program, ...args) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: PATIENCE_MS });
  return { ok: status === 0, output: `${stdout ?? ""}${stderr ?? ""}` };
};
