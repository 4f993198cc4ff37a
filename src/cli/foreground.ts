import { spawn } from "node:child_process";
import process from "node:process";
import { codeOf, SessionDbError } from "../errors.ts";

/**
 * Runs a program with this one's terminal and resolves to its exit code. Until it ends Ctrl-C is its own.
 *
 * @throws SessionDbError `not_found` when there is no such program
 */
export async function runInForeground(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, hint }: { cwd: string | undefined; hint: string },
): Promise<number> {
  const leaveToChild = (): void => undefined;
  process.on("SIGINT", leaveToChild);
  try {
    return await new Promise<number>((resolve, reject) => {
      // On Windows npm installs programs as .cmd files, which only a shell starts.
      const shell = process.platform === "win32";
      const words = shell ? args.map((word) => `"${word}"`) : args;
      const child = spawn(program, words, { stdio: "inherit", shell, ...(cwd !== undefined && { cwd }) });
      child.on("error", reject);
      child.on("exit", (code) => resolve(code ?? 1));
    });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new SessionDbError("not_found", `there is no program ${program} on the PATH`, {
      hint,
      cause: error,
    });
  } finally {
    process.off("SIGINT", leaveToChild);
  }
}
