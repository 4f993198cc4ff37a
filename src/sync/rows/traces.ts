import { INDEX } from "../../db/kinds.ts";
import type { Database } from "../../db/native.ts";
import { writing } from "../../db/writing.ts";
import { removeUnusedKinds } from "./row-kinds.ts";

/** The last removal after which it was done. */
const DONE = "SELECT value FROM meta WHERE name = 'traces_seq'";
const SAVE_DONE = "INSERT OR REPLACE INTO meta (name, value) VALUES ('traces_seq', ?)";

/**
 * Removes what entries that are gone have left in other tables of the index. Looking for it takes half a second for each
 * million entries, and nobody can write meanwhile: so it is done once for each removal.
 */
export function removeTraces(database: Database, removal: number): void {
  if (Number(database.prepare(DONE).pluck().get() ?? 0) >= removal) return;
  writing(database, INDEX, () => {
    removeUnusedKinds(database);
    database.prepare(SAVE_DONE).run(String(removal));
  });
}
