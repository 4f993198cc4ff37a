import { existsSync, lstatSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { codeOf, SessionDbError } from "../errors.ts";
import { parseSettings, type ReadSettings } from "./settings.ts";

/** Reads a text file. @throws Node's error; SessionDbError `usage` for what is no file */
export type ReadText = (path: string) => string;

/**
 * The user's configuration file. One that is not there says nothing.
 *
 * @param isNamed whether the user said where it is: then a note tells that there is none
 * @throws SessionDbError `usage` when it is wrong or cannot be read
 */
export function readSettingsFile(path: string, isNamed: boolean, readText: ReadText): ReadSettings {
  // Without a home directory there is no such place.
  if (!isAbsolute(path)) return { settings: {}, notes: [] };
  try {
    return parseSettings(readText(path), path);
  } catch (error) {
    if (isDangling(path) || isDangling(dirname(path))) throw dangling(path, error);
    // A service is told where the file would be; it may come later.
    if (isMissing(error))
      return { settings: {}, notes: isNamed ? [`there is no configuration file ${path}`] : [] };
    if (error instanceof SessionDbError || codeOf(error) === "") throw error;
    throw new SessionDbError("usage", `${path} cannot be read (${codeOf(error)})`, {
      hint: "Make it readable, or move it away.",
      cause: error,
    });
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error));
}

/** Whether there is a link that leads to nothing. */
function isDangling(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && !existsSync(path);
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return false;
  }
}

/** What keeps people's settings elsewhere and links to them may be missing; what they exclude stays excluded then. */
function dangling(path: string, cause: unknown): SessionDbError {
  return new SessionDbError("usage", `${path} is, or lies behind, a link that leads nowhere`, {
    hint: "Put back what it leads to, or remove the link.",
    cause,
  });
}
