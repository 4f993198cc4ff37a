/** An entry whose row was written. */
export interface EntryRow {
  key: number;
  type: string;
  entryId: string | null;
  /** Unix ms. */
  timestamp: number | null;
  /** Format version of the session. */
  version: number;
}

/** Takes the texts of entries as their rows are written, so that nobody has to read the lines again. */
export interface TextSink {
  /** The texts that search looks into, of the next entry of the transaction that is open: keys ascend, and none is left out. */
  add(row: Pick<EntryRow, "key" | "timestamp">, texts: readonly string[]): void;
  /** The transaction was committed. */
  committed(): void;
  /** The transaction was undone: what was added in it is dropped. */
  dropped(): void;
}
