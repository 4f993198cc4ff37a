import type { Needs } from "../api/catch-up.ts";
import { SessionDbError } from "../errors.ts";
import type { Session } from "../query/results.ts";
import type { Index } from "../store/open.ts";
import type { SessionRef } from "../store/tables/session-ref.ts";
import type { Args } from "./args.ts";
import type { Context } from "./command.ts";
import { nameOptionsOf } from "./session-name.ts";
import { withIndex } from "./with-index.ts";

/** The session that a name stands for, and its index. */
export interface NamedSession {
  index: Index;
  ref: SessionRef;
  session: Session;
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
  const { looksLikePath, resolveSession } = await import("../query/session-name.ts");
  const { readSession } = await import("../query/sessions.ts");
  const needs = looksLikePath(name) ? { search: false } : { search: false, rows };
  return withIndex(context, args, needs, (index) => {
    const ref = resolveSession(index, name, nameOptionsOf(context));
    const session = readSession(index, ref.fileId, context.config.roots);
    if (session === undefined) throw new SessionDbError("not_found", "the session is gone");
    return read({ index, ref, session });
  });
}
