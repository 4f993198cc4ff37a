import { readFileSync } from "node:fs";
import { codeOf } from "../src/errors.ts";

/**
 * Whether a process still runs. One that has ended keeps its number until its parent takes notice, which the first
 * process of a container may never do.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false;
    if (codeOf(error) !== "EPERM") throw error;
  }
  return stateOf(pid) !== "Z";
}

/** As Linux calls it, Z for one that has ended; null where that cannot be known. */
function stateOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Before it the name of the program stands in parentheses, with any characters in it.
    return stat.charAt(stat.lastIndexOf(")") + 2);
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes(codeOf(error))) return null;
    throw error;
  }
}
