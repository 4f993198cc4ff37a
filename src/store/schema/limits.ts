/** More malformed lines than this of one file are counted but not listed. `column-notes.ts` and docs/troubleshooting.md say so, too. */
export const LISTED_MALFORMED_LINES = 1000;

/**
 * Entries with longer lines may hold more than the full text takes in of one text: see `INDEXED` in `format/searchable.ts`.
 * An SQL index has them, and SQLite takes it only for the very number that it was made with. Bytes.
 */
export const LONG_LINE_BYTES = 65_536;
