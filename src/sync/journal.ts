/**
 * Is told what is about to be read, so that the next process can find out what ended this one. The place is a byte of
 * the file where rows are read, and the key of an entry where texts are.
 */
export interface Journal {
  begin(realPath: string, at: number): void;
  /** Nothing is being read. */
  end(): void;
}
