import { join } from "node:path";
import { type Index, type IndexLocation, openIndex } from "../../src/db/open.ts";

/** The two databases in a folder. */
export function indexIn(folder: string): IndexLocation {
  return { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
}

/** Opens the index of a folder, hands it out and closes it, whatever happens. */
export function withIndex<T>(folder: string, use: (index: Index) => T): T {
  const index = openIndex(indexIn(folder));
  try {
    return use(index);
  } finally {
    index.close();
  }
}
