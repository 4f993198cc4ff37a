import type { CursorTable } from "../store/tables/cursors.ts";
import type { Stores } from "./rows/stores.ts";

/** Where a file is now. */
export interface MovedTo {
  path: string;
  realPath: string;
  /** Unix ms. */
  mtimeMs: number;
}

/**
 * Notes a file's new place, inside the caller's transaction. Its rows stay; which copy of a bill counts may change with
 * the path: that is decided when the transaction ends.
 */
export function moveFile(
  { cursors, stores }: { cursors: CursorTable; stores: Stores },
  fileId: number,
  { path, realPath, mtimeMs }: MovedTo,
): void {
  cursors.move(fileId, path, realPath);
  stores.sessions.place(fileId, path, mtimeMs);
  stores.counted.move(fileId);
}
