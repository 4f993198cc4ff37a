/** Where pi keeps sessions by default. */

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "../folder.ts";
import { type Environment, processEnvironment } from "../runtime/env.ts";
import { normalizePath, resolvePath } from "./paths.ts";

/** `$PI_CODING_AGENT_DIR` with `~` expanded, else `.pi/agent` in the home directory. */
export function defaultAgentDir(env: Environment = processEnvironment(), home: string = homedir()): string {
  const named = env.PI_CODING_AGENT_DIR;
  return named ? normalizePath(named) : join(home, ".pi", "agent");
}

export function defaultSessionsRoot(): string {
  return join(defaultAgentDir(), "sessions");
}

/** The folder of a working directory's sessions. As in pi the name is lossy: `/a-b` and `/a/b` share one. */
export function defaultSessionDirPath(cwd: string, agentDir: string = defaultAgentDir()): string {
  const encoded = resolvePath(cwd)
    .replace(/^[/\\]/, "")
    .replace(/[/\\:]/g, "-");
  return join(resolvePath(agentDir), "sessions", `--${encoded}--`);
}

/**
 * The folder of a working directory's sessions (`~/.pi/agent/sessions/--home-ada-project--`, or below
 * `$PI_CODING_AGENT_DIR`). It is created if it is missing.
 *
 * @throws the file system's error where it cannot be created
 */
export function getDefaultSessionDir(cwd: string, agentDir: string = defaultAgentDir()): string {
  const dir = defaultSessionDirPath(cwd, agentDir);
  if (!existsSync(dir)) makeFolder(dir);
  return dir;
}
