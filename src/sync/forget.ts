import type { Index } from "../db/open.ts";
import { Stores } from "./entry-sink.ts";

/**
 * Removes what the index holds of files, whatever has become of them; the money they counted counts in a copy then,
 * where there is one. A file that is still there comes back with the next sync.
 *
 * @param fileIds `files.id`
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing)
 */
export function forgetFiles(index: Index, fileIds: readonly number[]): void {
  const stores = new Stores(index.database);
  index.database
    .transaction(() => {
      for (const fileId of fileIds) forgetFile(stores, fileId);
    })
    .immediate();
}

/** The same for one file, inside the caller's transaction. */
export function forgetFile({ counted, rows }: Stores, fileId: number): void {
  counted.passOn(fileId);
  rows.removeFile(fileId);
  counted.settle();
}
