import { spawn } from "node:child_process";
import { codeOf } from "../../errors.ts";
import type { Environment } from "../../runtime/env.ts";

/** Opens a file as a click on it would. `explorer` takes a path as it is; `start` is a word of a shell, which reads it. */
const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer.exe" };

/** Milliseconds: an opener that still runs by then shows the page itself. */
const LONGEST_START = 3000;

/** Shows a file in the browser, which outlives this process. Resolves to why that did not work, null where it did. */
export function openInBrowser(path: string, env: Environment): Promise<string | null> {
  const opener = OPENERS[process.platform] ?? "xdg-open";
  return new Promise((resolve) => {
    const child = spawn(opener, [path], { detached: true, stdio: "ignore", env });
    const waited = setTimeout(() => resolve(null), LONGEST_START);
    const end = (why: string | null): void => {
      clearTimeout(waited);
      resolve(why);
    };
    child.once("error", (error) =>
      end(
        codeOf(error) === "ENOENT"
          ? `there is no ${opener} here`
          : `${opener} cannot be started (${codeOf(error)})`,
      ),
    );
    // The one of Windows fails when all went well.
    child.once("exit", (code) =>
      end(
        code === 0 || process.platform === "win32"
          ? null
          : `${opener} has failed (${code ?? "ended by a signal"})`,
      ),
    );
    child.unref();
  });
}
