import { SessionDbError } from "../errors.ts";
import { absolutePath, realPathOrNull } from "../file/paths.ts";
import type { NameOptions } from "../query/session-name.ts";
import type { Context } from "./command.ts";

/** The help for the positional of a command that takes a session. */
export const SESSION_WORDS = "A path, an id, the beginning of an id, or latest";

/** The error of a command that needs a session and was given none. */
export function whichSession(command: string): SessionDbError {
  return new SessionDbError("usage", "which session?", {
    hint: `Name it by path, id, the beginning of its id, or latest: sessiondb ${command} latest.`,
  });
}

/** How names of sessions are understood: paths are relative to the current directory, and links are followed. */
export function nameOptionsOf({ config, world }: Context): NameOptions {
  return {
    roots: config.roots,
    toPaths: (name) => {
      const path = absolutePath(name, "The session", world);
      return [...new Set([path, realPathOrNull(path) ?? path])];
    },
  };
}
