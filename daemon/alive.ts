import { readFileSync } from "node:fs";
import { codeOf } from "../src/errors.ts";

/**
 * Whether a process still runs. One that has ended keeps its number until its parent asks for its exit code, which the
 * first process of a container may never do.
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

/** The state of a process in Linux's letters, Z for one that has ended; null where it cannot be known. */
function stateOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The state comes after the name of the program in parentheses, which may hold any characters.
    return stat.charAt(stat.lastIndexOf(")") + 2);
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES"].includes(codeOf(error))) return null;
    throw error;
  }
}
