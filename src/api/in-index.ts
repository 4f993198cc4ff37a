import type { OpenOptions } from "../store/connection.ts";
import { diagnose } from "../store/diagnose.ts";
import type { IndexLocation } from "../store/location.ts";
import { type Index, openIndex } from "../store/open.ts";

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
