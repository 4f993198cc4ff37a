/** What the host is told in the midst of cutting. It may give words by `put`. */

/** A run of letters with some beyond ASCII, which may be several words or none. */
export declare function foreign(from: usize, to: usize): void;

/** An ASCII word with a capital after its first letter that was not met before. */
export declare function name(from: usize, to: usize): void;
