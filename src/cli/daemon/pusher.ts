import { type ChildProcess, spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { codeOf, SessionDbError } from "../../errors.ts";
import { hasPushed } from "../../team/push-cursor.ts";
import type { Context } from "../command-line/command.ts";
import { mainProgram, placeOptions } from "../place-options.ts";

const MINUTE_MS = 60_000;

/**
 * Pushes to the team's database at intervals, where the configuration says so: by `push` in a process of its own, which has what
 * it takes in memory and time only while it runs, and steps back for everything else. `end` ends it.
 *
 * @param program the compiled command line
 */
export function pushAtIntervals(context: Context, program = mainProgram()): { end: () => void } {
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout;
  const again = (): void => {
    const { every, isWanted } = settingsIn(context);
    // Not all devices of a team at once.
    const pause = Math.max(1, every) * MINUTE_MS * (0.75 + Math.random() / 2);
    timer = setTimeout(() => {
      child = isWanted ? begin(context, program) : null;
      if (child === null) again();
      else
        child.once("close", () => {
          child = null;
          again();
        });
    }, pause);
    timer.unref();
  };
  again();
  return {
    end: () => {
      clearTimeout(timer);
      child?.removeAllListeners("close").kill("SIGTERM");
    },
  };
}

/** As they stand in the file now; one that is wrong means that nothing leaves. */
function settingsIn({ readConfig, config }: Context): { every: number; isWanted: boolean } {
  try {
    const { team, location } = readConfig();
    const { url, projects, every } = team;
    // What was pushed and is not listed any more is taken out, though nothing is listed.
    return {
      every,
      isWanted: url !== undefined && every > 0 && (projects.length > 0 || hasPushed(location.indexPath)),
    };
  } catch (error) {
    if (!(error instanceof SessionDbError)) throw error;
    return { every: config.team.every, isWanted: false };
  }
}

function begin({ config, world, talk }: Context, program: string): ChildProcess {
  const child = spawn(process.execPath, [program, ...placeOptions(config), "push"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: world.env,
  });
  if (child.pid !== undefined) stepBack(child.pid);
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = (said + chunk).slice(-1000);
  });
  child.once("error", (error) => talk.note(`nothing was pushed: ${error.message}`));
  child.once("close", () => {
    const line = said.trim().split("\n").at(-1) ?? "";
    if (line !== "" && !line.endsWith("has everything.")) talk.say(line);
  });
  return child;
}

/** Has it run only when nothing else wants to, where the system lets us. */
function stepBack(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch (error) {
    // It may have ended already.
    if (codeOf(error) !== "ERR_SYSTEM_ERROR") throw error;
  }
}
