/** How many entry keys a row of `search.key_blocks` covers. A change needs a new `ingestVersion` of the full text. */
export const KEYS_PER_BLOCK = 512;

/** Entries without a time are older than all others. */
export const NO_TIME = 0;
