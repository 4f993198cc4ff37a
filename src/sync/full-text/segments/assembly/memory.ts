/*
 * All memory is laid out once. Of what is never touched the system gives none, so each part is as large as it may have
 * to be.
 */

/** So many bytes beyond the end of a text are read, whatever they are. */
const READ_BEYOND = 64;

/** Lines are read into it, as many as a step of reading has. */
export const LINE_BYTES = 4 << 20;
export const LINES: usize = memory.data(LINE_BYTES + READ_BEYOND, 64);

/** For texts that do not stand in a line: invalid bytes of a line become characters of three bytes. */
export const TEXT_BYTES = 3 * LINE_BYTES;
export const TEXTS: usize = memory.data(TEXT_BYTES + READ_BEYOND, 64);

/** FTS5 cuts words off there. Bytes. */
export const LONGEST_WORD = 32_768;
/** For a word that was not found in a text as it is. */
export const WORD: usize = memory.data(LONGEST_WORD + READ_BEYOND, 64);

/** Terms there can be: their numbers, from 1 on, take two bytes. In 16 MB of texts there are some 40,000. */
export const MOST_TERMS = 0xffff;
/** Bytes of a term's record: a line of the processor's cache, so that meeting a word again costs one look into memory. */
export const TERM_BYTES = 64;
export const TERMS: usize = memory.data(TERM_BYTES * (MOST_TERMS + 1), 64);

/** Places in the hash table: a power of two, and twice as many as terms, so that few terms want the same place. */
export const PLACES = 1 << 17;
export const TABLE: usize = memory.data(2 * PLACES, 64);

/** What words have beyond their first twelve bytes. */
export const REST_BYTES = 4 << 20;
export const RESTS: usize = memory.data(REST_BYTES, 64);

/** The slices in which lists of terms are continued, far more than a run takes. */
export const SLICE_BYTES = 32 << 20;
export const SLICES: usize = memory.data(SLICE_BYTES, 64);

/** The most words an entry may have to be added here. */
export const MOST_POSITIONS = 1 << 19;
/** By position in the present entry, the position before it of the same word. */
export const EARLIER: usize = memory.data(4 * MOST_POSITIONS, 64);
/** The terms of the present entry, each once. */
export const MET: usize = memory.data(4 * MOST_POSITIONS, 64);
/** Bytes of the longest position. */
const POSITION = 4;
/** Positions of one word are put together before this place. */
export const POSITIONS_END: usize = memory.data(POSITION * MOST_POSITIONS, 64) + POSITION * MOST_POSITIONS;

/** Two lists of the numbers of terms, between which they are sorted. */
export const ORDER: usize = memory.data(2 * MOST_TERMS, 64);
export const SPARE_ORDER: usize = memory.data(2 * MOST_TERMS, 64);

/** Bytes that stand in a run beside a term's word and its list, and those that stand in its record, at most. */
export const BESIDE_TERM = 20 + 12 + 16;
/** The run is written there. */
export const RUN: usize = memory.data(SLICE_BYTES + REST_BYTES + BESIDE_TERM * MOST_TERMS, 64);

/** Places in the table by which words that may hold a compound name are recognised. */
export const REMEMBERED_PLACES = 1 << 16;
/** By the sum of a word, where the last one with that sum is kept; 0 for none. */
export const REMEMBERED: usize = memory.data(4 * REMEMBERED_PLACES, 64);
/** For some 80,000 words with their lengths: as many as are met in some hundred megabytes of texts. */
export const KEPT_BYTES = 2 << 20;
export const KEPT: usize = memory.data(KEPT_BYTES, 64);
