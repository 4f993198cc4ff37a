import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The command as it is installed: what `npm run build` leaves. */
export const MAIN = join(import.meta.dirname, "../../dist/src/cli/main.js");

/** `sync` by it: its thread for the full text is TypeScript here, which not every Node that is supported can load. */
export function syncByProgram(agentDir: string, ...options: string[]): void {
  execFileSync(process.execPath, [MAIN, "sync", ...options, "--agent-dir", agentDir], { stdio: "pipe" });
}
