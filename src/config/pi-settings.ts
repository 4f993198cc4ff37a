import { codeOf, SessionDbError } from "../errors.ts";
import { withoutMark } from "./byte-order-mark.ts";
import type { ReadText } from "./settings-file.ts";

/** `sessionDir` of pi's settings; a file that cannot be used is a note, never an error. */
export function sessionDirOf(path: string, readText: ReadText, notes: string[]): string | undefined {
  const settings = readSettings(path, readText, notes);
  if (typeof settings !== "object" || settings === null || !("sessionDir" in settings)) return undefined;
  if (typeof settings.sessionDir === "string") return settings.sessionDir || undefined;
  notes.push(`${path}: sessionDir is not a string; the default folder is used`);
  return undefined;
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
