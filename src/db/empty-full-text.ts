import type { Database } from "./native.ts";

/** Deletes all texts and all that was made of them, inside the caller's transaction. The watermark is left as it is. */
export function emptyFullText(search: Database): void {
  search.exec(`INSERT INTO entry_text (entry_text) VALUES ('delete-all');
    DELETE FROM missed_keys; DELETE FROM key_blocks;
    DELETE FROM compound_names; DELETE FROM meta WHERE name = 'names_look'`);
  beginNamesAnew(search);
}

/** Tells everybody who remembers which compound names are written to forget that, because some were deleted. */
export function beginNamesAnew(search: Database): void {
  search.exec("INSERT OR REPLACE INTO meta (name, value) VALUES ('names_generation', hex(randomblob(8)))");
}
