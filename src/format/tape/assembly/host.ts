/** Copies bytes of the line, from `offset` on, to a place in memory. */
export declare function copy(offset: u32, to: usize, bytes: u32): void;
