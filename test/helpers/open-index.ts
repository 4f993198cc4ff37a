import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { IndexLocation } from "../../src/store/location.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { tempDir } from "./temp-dir.ts";

/** The two databases in a folder. */
export function indexIn(folder: string): IndexLocation {
  return { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
}

/** A folder as indexes lie in by default: whatever is damaged there is ours. */
export function usualFolder(): string {
  const folder = join(tempDir(), "sessiondb");
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Waits for another process that holds the index alone, while it creates it or ends. */
const PATIENCE = { busyTimeoutMs: 20_000 };

/** Opens the index of a folder, passes it to `use`, and closes it, whatever happens. */
export function withIndex<T>(folder: string, use: (index: Index) => T): T {
  const index = openIndex(indexIn(folder), PATIENCE);
  try {
    return use(index);
  } finally {
    index.close();
  }
}
