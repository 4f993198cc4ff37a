import type { Database } from "./native.ts";

/** Deletes all texts, and all that is kept of them, inside the caller's transaction. What it follows is left as it is. */
export function emptyFullText(search: Database): void {
  search.exec(`INSERT INTO entry_text (entry_text) VALUES ('delete-all');
    DELETE FROM missed_keys; DELETE FROM key_blocks;
    DELETE FROM compound_names; DELETE FROM meta WHERE name = 'names_look'`);
  beginNamesAnew(search);
}

/** Whoever remembers which compound names are written has to forget it: some were deleted. */
export function beginNamesAnew(search: Database): void {
  search.exec("INSERT OR REPLACE INTO meta (name, value) VALUES ('names_generation', hex(randomblob(8)))");
}
