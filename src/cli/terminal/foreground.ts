import { spawn, spawnSync } from "node:child_process";
import { codeOf, SessionDbError } from "../../errors.ts";
import { endOf } from "./signals.ts";

/**
 * Runs a program on this one's terminal and resolves to its exit code. Until it ends, Ctrl-C and the signals sent to
 * this process are left to it.
 *
 * @throws SessionDbError `not_found` when there is no such program
 */
export async function runInForeground(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, hint }: { cwd: string | undefined; hint: string },
): Promise<number> {
  // On Windows npm installs programs as .cmd files, which only a shell starts.
  const shell = process.platform === "win32";
  const words = shell ? args.map((word) => `"${word}"`) : args;
  try {
    const begin = () => spawn(program, words, { stdio: "inherit", shell, ...(cwd !== undefined && { cwd }) });
    const { code } = await endOf(begin, (child, signal) => child.kill(signal));
    return code;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new SessionDbError("not_found", `cannot find the program ${program} on the PATH`, {
      hint,
      cause: error,
    });
  }
}

/** Whether what is typed on the terminal is for this process: one that reads in the background (`&`) would be stopped. */
export function isInForeground(): boolean {
  const { stdout } = spawnSync("ps", ["-o", "pgid=,tpgid=", "-p", String(process.pid)], { encoding: "utf8" });
  const [group, foreground] = stdout?.trim().split(/\s+/) ?? [];
  return group !== undefined && group === foreground;
}
