import type { Needs } from "../../api/catch-up.ts";
import { SessionDbError } from "../../errors.ts";
import { absolutePath, realPathOrNull } from "../../files/paths.ts";
import type { NameOptions } from "../../filters/resolve-session.ts";
import type { Session } from "../../reports/answers.ts";
import type { Index } from "../../store/open.ts";
import type { SessionRef } from "../../store/tables/session-ref.ts";
import { withIndex } from "../with-index.ts";
import type { Args } from "./args.ts";
import type { Context } from "./command.ts";

/** The help for the positional of a command that takes a session. */
export const SESSION_WORDS = "A path, an id, the beginning of an id, a name, or latest";
/** The help for one that takes an entry of a session, too. */
export const PLACE_WORDS = `${SESSION_WORDS}; with :LINE, as search prints it`;

/** The error of a command that needs a session and was given none. */
export function whichSession(command: string): SessionDbError {
  return new SessionDbError("usage", "which session?", {
    hint: `Give its path, its id or the beginning of that, its name, or latest: sessiondb ${command} latest.`,
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

/** The session that a name stands for, and its index. */
export interface NamedSession {
  index: Index;
  ref: SessionRef;
  session: Session;
  /** What names an entry in `SESSION:LINE`; undefined where the session alone was named. */
  entry: string | undefined;
}

export interface SessionQuestion {
  name: string;
  /** Which rows the index must have where the name is no path; by default nearly all. */
  rows?: Needs["rows"];
}

/**
 * Catches up, finds the session that a name stands for, and returns what `read` gives for it.
 *
 * @throws SessionDbError as `withIndex` and `resolveSession`
 */
export async function withSession<T>(
  context: Context,
  args: Args,
  { name, rows = "nearly all" }: SessionQuestion,
  read: (named: NamedSession) => T,
): Promise<T> {
  const { isPathOfFile, resolvePlace, splitPlace } = await import("../../filters/resolve-session.ts");
  const { readListedSession } = await import("../../reports/sessions.ts");
  const naming = nameOptionsOf(context);
  const needs = isPathOfFile(splitPlace(name).session, naming) ? { search: false } : { search: false, rows };
  return withIndex(context, args, needs, (index) => {
    const { ref, entry } = resolvePlace(index, name, naming);
    const session = readListedSession(index, ref.fileId, context.config.roots);
    if (session === undefined) throw new SessionDbError("not_found", "the session is gone");
    return read({ index, ref, session, entry });
  });
}
