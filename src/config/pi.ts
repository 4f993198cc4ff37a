/** Where pi keeps sessions by default, and what its settings say. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { codeOf, SessionDbError } from "../errors.ts";
import { makeFolder } from "../files/folder.ts";
import { normalizePath, resolvePath } from "../files/paths.ts";
import { isWithin } from "../files/session-path.ts";
import { type Environment, processEnvironment } from "../runtime/env.ts";
import { type ReadText, readTextFile, withoutMark } from "./text-file.ts";

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

/** `sessionDir` of pi's settings; a file that cannot be used is a note, never an error. */
export function sessionDirOf(path: string, readText: ReadText, notes: string[]): string | undefined {
  const settings = readSettings(path, readText, notes);
  if (typeof settings !== "object" || settings === null || !("sessionDir" in settings)) return undefined;
  if (typeof settings.sessionDir === "string") return settings.sessionDir || undefined;
  notes.push(`${path}: sessionDir is not a string; the default folder is used`);
  return undefined;
}

/** pi's usual folder of sessions, where its settings name another one, and nobody looks there; else null. */
export function formerSessionsRoot(agentDir: string, roots: readonly string[]): string | null {
  const named = sessionDirOf(join(agentDir, "settings.json"), readTextFile, []);
  return named === undefined ? null : unlessWithin(roots, join(agentDir, "sessions"));
}

/** Where a working directory's own settings let pi keep its sessions, if nobody looks there; else null. */
export function ownSessionDirOf(cwd: string, roots: readonly string[]): string | null {
  const named = sessionDirOf(join(cwd, ".pi", "settings.json"), readTextFile, []);
  return named === undefined ? null : unlessWithin(roots, resolve(cwd, normalizePath(named)));
}

function unlessWithin(roots: readonly string[], folder: string): string | null {
  return roots.some((root) => isWithin(root, folder)) ? null : folder;
}

function readSettings(path: string, readText: ReadText, notes: string[]): unknown {
  try {
    return JSON.parse(withoutMark(readText(path)));
  } catch (error) {
    if (error instanceof SyntaxError) notes.push(`${path} is not valid JSON; pi's settings are not used`);
    else if (error instanceof SessionDbError) notes.push(`${error.message}; pi's settings are not used`);
    else if (codeOf(error) === "") throw error;
    else if (codeOf(error) !== "ENOENT") notes.push(`${path} cannot be read (${codeOf(error)})`);
    return undefined;
  }
}
