import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Config } from "../config/config.ts";
import { moduleAt } from "../runtime/module-path.ts";

/**
 * What flags, environment and configuration came to, as options of another command line: so all processes and threads of one
 * have the same sessions, index, settings and days.
 */
export function placeOptions({ agentDir, location, roots, configPath, timezone }: Config): string[] {
  return [
    ...["--agent-dir", agentDir, "--db", location.indexPath, "--timezone", timezone],
    ...roots.flatMap((root) => ["--sessions-dir", root]),
    // A file that is named and missing is noted.
    ...(existsSync(configPath) ? ["--config", configPath] : []),
  ];
}

/** The compiled command line, for another process of it. */
export function mainProgram(): string {
  return fileURLToPath(moduleAt("src/cli/main"));
}
