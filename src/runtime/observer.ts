/** How far one kind of work on the index has come: taking in the rows, or the full text. */
export interface SyncProgress {
  phase: "files" | "search";
  /** Bytes of session files for `files`, entries for `search`. */
  done: number;
  total: number;
}

/** How many bytes of sessions were moved into the archive, or back (`move`); how many packed files were checked (`verify`). */
export interface ArchiveProgress {
  phase: "move" | "verify";
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

/**
 * Is told what is about to be read, so that the next process can find out what ended this one. The place tells one step
 * from another: where rows are read, by the bytes of the file that were read or compared before; where texts are, by the
 * key of an entry.
 */
export interface Journal {
  begin(realPath: string, at: number): void;
  /** Nothing is being read. */
  end(): void;
}
