import { INDEX } from "../store/databases.ts";
import type { Index } from "../store/open.ts";
import { writing } from "../store/transaction.ts";
import { Stores } from "./table-writers.ts";

/** By path: another process may have forgotten the file already, and its number may be another file's by now. */
const ID = "SELECT id FROM files WHERE path = ?";

/**
 * Removes what the index holds of files, whatever has become of the files. Usage that was counted in them is then counted
 * in a copy, where there is one. A file that is still there comes back with the next sync.
 *
 * @param paths `files.path`
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing)
 */
export function forgetFiles(index: Index, paths: readonly string[]): void {
  const stores = new Stores(index.database);
  const idsOf = index.database.prepare(ID).pluck();
  writing(index.database, INDEX, () => {
    forgetAll(
      stores,
      paths.flatMap((path) => idsOf.all(path) as number[]),
    );
  });
}

/** The same by the files' numbers, inside the caller's transaction. */
export function forgetAll(stores: Stores, fileIds: readonly number[]): void {
  for (const fileId of stores.counted.lastFirst(fileIds)) forgetFile(stores, fileId);
}

function forgetFile({ counted, rows }: Stores, fileId: number): void {
  counted.passOn(fileId);
  rows.removeFile(fileId);
  counted.sumUp();
}
