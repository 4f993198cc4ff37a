/* Laid out once, whatever lines there are. */

/** So many bytes beyond the end of a window are read. */
const READ_BEYOND = 16;

/** A line is looked at through a window of so many bytes: most lines fit in, of a longer one it holds a part. */
export const WINDOW_BYTES = 1 << 18;
export const WINDOW: usize = memory.data(WINDOW_BYTES + READ_BEYOND, 16);

/** How many values a line may have, counting names of fields. */
const MOST_VALUES = 1 << 16;
/** A value takes three numbers: its kind, where it begins, and where it ends. */
export const VALUE_BYTES = 12;
/** The tape. */
export const CELLS: usize = memory.data(VALUE_BYTES * MOST_VALUES, 16);
export const CELL_COUNT = 3 * MOST_VALUES;
