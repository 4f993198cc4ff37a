import { isSystemError, SessionDbError } from "../errors.ts";
import type { OpenOptions } from "../store/connection.ts";
import { diagnose } from "../store/diagnose.ts";
import type { IndexLocation } from "../store/location.ts";
import { Index, openIndex } from "../store/open.ts";
import { iterated, saysIterated } from "../store/sqlite-errors.ts";

/**
 * Opens the index, uses and closes it. Errors of SQLite become errors of ours.
 *
 * @throws SessionDbError as `openIndex`, and `busy`, `index_corrupt`, `io` of what `use` does
 */
export async function usingIndex<Answer>(
  location: IndexLocation,
  options: OpenOptions,
  use: (index: Index) => Answer | Promise<Answer>,
): Promise<Answer> {
  return usingOpen(openIndex(location, options), use);
}

/** Uses an index that is open already, and closes it. @throws SessionDbError as `usingIndex` */
export async function usingOpen<Answer>(
  index: Index,
  use: (index: Index) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await use(index);
  } catch (error) {
    throw diagnose(error, index);
  } finally {
    index.close();
  }
}
/**
 * Asks an open index. Errors of SQLite become errors of this library; those of a callback of the caller stay as they
 * are.
 *
 * @throws SessionDbError `usage` where it is no index, or a closed one (also by a callback), or rows of it are still
 *   being read one by one; `index_newer` where a newer program has taken it over since it was opened; `busy`,
 *   `index_corrupt`, `io`
 */
export function inIndex<Answer>(index: Index, ask: () => Answer): Answer {
  assertOpen(index);
  try {
    index.assertCurrent();
    return ask();
  } catch (error) {
    if (saysClosed(error)) index.assertOpen();
    if (saysIterated(error)) throw iterated(index.location.indexPath, error);
    throw isSystemError(error) ? error : diagnose(error, index);
  }
}

/** Whether an error is what better-sqlite3 throws for a connection that was closed. */
function saysClosed(error: unknown): boolean {
  return error instanceof TypeError && error.message === "The database connection is not open";
}

/** Writes to an open index. @throws SessionDbError as `inIndex`, and `usage` where it was opened read-only */
export function intoIndex<Answer>(index: Index, write: () => Answer): Answer {
  assertWritable(index);
  return inIndex(index, write);
}

/** @throws SessionDbError `usage` */
export function assertWritable(index: Index): void {
  assertOpen(index);
  if (!index.database.readonly) return;
  throw new SessionDbError("usage", `the index was opened read-only: ${index.location.indexPath}`, {
    hint: "Open it without `readonly`.",
  });
}

function assertOpen(index: Index): void {
  // A caller may have wrong types, or none.
  if (!((index as unknown) instanceof Index)) {
    throw new SessionDbError("usage", "index has to be what openIndex returns", {
      hint: "const index = openIndex({ indexPath, searchPath });",
    });
  }
  index.assertOpen();
}
