/* Laid out once. Of what is never touched the system gives no memory, so each part is as large as it may have to be. */

/** So many bytes beyond the end of a line are read. */
const READ_BEYOND = 16;

/** The longest line that is decoded, as `LONGEST_LINE` of `file/lines.ts` says. */
export const LINE_BYTES = 64 << 20;
export const LINE: usize = memory.data(LINE_BYTES + READ_BEYOND, 16);

/** How many values a line may have, counting names of fields. */
const MOST_VALUES = 1 << 16;
/** A value takes three numbers: its kind, where it begins, and where it ends. */
export const VALUE_BYTES = 12;
/** The tape. */
export const CELLS: usize = memory.data(VALUE_BYTES * MOST_VALUES, 16);
export const CELL_COUNT = 3 * MOST_VALUES;
