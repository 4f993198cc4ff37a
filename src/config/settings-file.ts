import { existsSync, lstatSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { codeOf, SessionDbError, unlessUnreadable } from "../errors.ts";
import { parseSettings, type ReadSettings } from "./settings.ts";
import type { ReadText } from "./text-file.ts";

interface ReadingSettings {
  /** Whether the user has named the file: then a note says if it is missing. */
  isNamed: boolean;
  readText: ReadText;
}

/**
 * Reads the user's configuration file. Where there is none, there are no settings.
 *
 * @throws SessionDbError `usage` when it is wrong or cannot be read
 */
export function readSettingsFile(path: string, { isNamed, readText }: ReadingSettings): ReadSettings {
  // Without a home directory the path stays relative, and leads to no such file.
  if (!isAbsolute(path)) return { settings: {}, notes: [], placeOf: () => path };
  try {
    return parseSettings(readText(path), path);
  } catch (error) {
    if (isDangling(path) || isDangling(dirname(path))) throw dangling(path, error);
    // No error: a service names the place where the file would be, and it may be created later.
    if (isMissing(error))
      return {
        settings: {},
        notes: isNamed ? [`there is no configuration file ${path}`] : [],
        placeOf: () => path,
      };
    if (error instanceof SessionDbError || codeOf(error) === "") throw error;
    throw new SessionDbError("usage", `${path} cannot be read (${codeOf(error)})`, {
      hint: "Give yourself read permission, or move it away.",
      cause: error,
    });
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error));
}

/** Whether the path is a symbolic link whose target does not exist. */
function isDangling(path: string): boolean {
  return unlessUnreadable(() => lstatSync(path).isSymbolicLink() && !existsSync(path)) ?? false;
}

/**
 * An error, since the disk that holds the linked settings may only be absent now: what they exclude must stay excluded.
 */
function dangling(path: string, cause: unknown): SessionDbError {
  return new SessionDbError("usage", `${path} is, or is reached through, a broken link`, {
    hint: "Restore what it points to, or remove the link.",
    cause,
  });
}
