import { absolutePath } from "../config/paths.ts";
import { SessionDbError } from "../errors.ts";
import { realPathOrNull } from "../file/real-path.ts";
import type { NameOptions } from "../query/session-name.ts";
import type { Context } from "./command.ts";

/** What the positional of a command that takes a session says of itself. */
export const SESSION_WORDS = "A path, an id, the beginning of an id, or latest";

/** For a command that was given none. */
export function whichSession(command: string): SessionDbError {
  return new SessionDbError("usage", "which session?", {
    hint: `Name it by path, id, the beginning of its id, or latest: sessiondb ${command} latest.`,
  });
}

/** How names of sessions are understood here: paths from the current directory on, links followed. */
export function nameOptionsOf({ config, world }: Context): NameOptions {
  return {
    roots: config.roots,
    toPaths: (name) => {
      const path = absolutePath(name, "The session", world);
      return [...new Set([path, realPathOrNull(path) ?? path])];
    },
  };
}
