import { type ChildProcess, spawn } from "node:child_process";
import { answerOf } from "../../../daemon/control/control.ts";
import { HEAP_OPTIONS } from "../../../daemon/control/process.ts";
import { SessionDbError } from "../../errors.ts";
import type { Context } from "../command-line/command.ts";
import { mainProgram, placeOptions } from "../place-options.ts";

/** Between two looks at whether something keeps the index up to date, in ms. */
const LOOK_MS = 5000;

/**
 * Keeps the index up to date while the page is served: by `sync --watch` in a process of its own, unless a daemon does it, and
 * again when that has ended. `end` ends it; so does the end of this process, however it comes.
 */
export function keepUpToDate({ config, world }: Context): { end: () => void } {
  let child: ChildProcess | null = null;
  let hasEnded = false;
  const look = async (): Promise<void> => {
    if (child !== null || (await isKept(config.location)) || hasEnded) return;
    const begun = spawn(
      process.execPath,
      [...HEAP_OPTIONS, mainProgram(), ...placeOptions(config), "sync", "--watch"],
      {
        // It ends when its channel to this process is closed.
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        env: world.env,
      },
    );
    const gone = (): void => {
      if (child === begun) child = null;
    };
    begun.once("exit", gone).once("error", gone);
    child = begun;
  };
  void look();
  const looking = setInterval(() => void look(), LOOK_MS);
  return {
    end: () => {
      hasEnded = true;
      clearInterval(looking);
      child?.kill("SIGTERM");
      // Where it hears neither that nor that its channel is closed, it is not waited for.
      if (child?.connected) child.disconnect();
      child?.unref();
    },
  };
}

/** Whether a daemon runs, be it one that says nothing, because the disk is full: no other could take its place. */
async function isKept(location: Context["config"]["location"]): Promise<boolean> {
  try {
    return (await answerOf(location)) !== null;
  } catch (error) {
    if (!(error instanceof SessionDbError)) throw error;
    return true;
  }
}
