import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { PATIENCE_MS } from "../helpers/poll-until.ts";
import { MAIN } from "../helpers/program.ts";

export const isBuilt = existsSync(MAIN);
if (!isBuilt) console.warn(`skipped: ${MAIN} is missing; build first`);

/** Runs one command line to its end, as somebody whose sessions and index lie in `agentDir`. */
export function sessiondb(agentDir: string, ...argv: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [MAIN, ...argv], {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    env: { ...process.env, HOME: agentDir, PI_CODING_AGENT_DIR: agentDir, FORCE_COLOR: "" },
  });
}
