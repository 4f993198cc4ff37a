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
