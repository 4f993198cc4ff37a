/** How far one kind of work on the index has come: taking in the rows, or the full text. */
export interface SyncProgress {
  phase: "files" | "search";
  /** Bytes of session files for `files`, entries for `search`. */
  done: number;
  total: number;
}

/** How much a sync has read of the files that it has to read. */
export interface SweepProgress {
  filesDone: number;
  filesTotal: number;
  bytesDone: number;
  bytesTotal: number;
}
