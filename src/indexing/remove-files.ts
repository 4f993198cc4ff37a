import { INDEX_DB, transaction } from "../store/databases.ts";
import type { Index } from "../store/open.ts";
import { TableWriters } from "./table-writers.ts";

/** By path: another process may have removed the file already, and its number may be another file's by now. */
const ID = "SELECT id FROM files WHERE path = ?";

/**
 * Removes what the index holds of files, whatever has become of the files. Usage that was counted in them is then counted
 * in a copy, where there is one. A file that is still there comes back with the next sync.
 *
 * @param paths `files.path`
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing)
 */
export function removeFiles(index: Index, paths: readonly string[]): void {
  const writers = new TableWriters(index.database);
  const idsOf = index.database.prepare(ID).pluck();
  transaction(index.database, INDEX_DB, () => {
    removeAll(
      writers,
      paths.flatMap((path) => idsOf.all(path) as number[]),
    );
    writers.decide();
  });
}

/** Removes what the index holds of files, by their numbers and inside the caller's transaction. */
export function removeAll(writers: TableWriters, fileIds: readonly number[]): void {
  for (const fileId of writers.billing.lastFirst(fileIds)) removeFile(writers, fileId);
}

function removeFile({ billing, families, rows }: TableWriters, fileId: number): void {
  families.leaving(fileId);
  billing.reassign(fileId);
  rows.removeFile(fileId);
  billing.sumUp();
}
