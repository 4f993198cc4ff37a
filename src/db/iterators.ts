import { SessionDbError } from "../errors.ts";
import type { Database } from "./native.ts";

/** What better-sqlite3 throws of a connection while somebody reads rows of it one by one. */
export function saysIterated(error: unknown): boolean {
  return error instanceof TypeError && error.message === "This database connection is busy executing a query";
}

/** @throws SessionDbError `usage` where rows of an open database are still being read one by one */
export function assertNotIterated(database: Database, indexPath: string): void {
  try {
    // Does nothing, but is refused then; nothing else tells.
    database.exec("");
  } catch (error) {
    throw saysIterated(error) ? iterated(indexPath, error) : error;
  }
}

export function iterated(indexPath: string, cause: unknown): SessionDbError {
  return new SessionDbError("usage", `an iterator over rows of the index is still open: ${indexPath}`, {
    hint: "Read it to its end, or call its return(), first.",
    cause,
  });
}
