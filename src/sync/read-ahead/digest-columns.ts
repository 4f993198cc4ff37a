import type { EntryDigest } from "../../format/digest.ts";

/** The digest of an entry, and where its line stands. */
export interface PlacedDigest {
  digest: EntryDigest;
  /** Bytes. */
  offset: number;
  length: number;
}

/**
 * Digests on their way from one thread to another, by column. As objects they would cost as much to hand over as to
 * make: 45 properties an entry. Texts that repeat are sent once. Numbers are copied: to hand over their memory would cost
 * more, see `thread.ts`.
 */
export interface DigestColumns {
  /** Texts that repeat, each once; the first, null, stands for no text. */
  words: readonly (string | null)[];
  /**
   * Five for each entry: offset, length, time, time of activity, how long its tool ran; NaN where there is none. After
   * them how many calls are nested in it, if any are, and how long each ran.
   */
  numbers: Float64Array;
  /** Eight for each entry: flags, how many calls, and numbers of words. After them, how each nested call ended. */
  codes: Uint32Array;
  previews: readonly string[];
  spoken: readonly string[];
  /** The other texts, in the order in which they are asked for. */
  texts: readonly (string | null)[];
  usageNumbers: Float64Array;
  usageCodes: Uint32Array;
}

/** Flags of an entry, and which of its texts follow. */
export const HAS = {
  error: 1,
  image: 2,
  irregular: 4,
  afterLast: 8,
  target: 16,
  given: 32,
  answer: 64,
  usage: 128,
  flaw: 256,
  nested: 512,
};

/** How a nested call ended. */
export const ENDED = { never: 0, well: 1, failed: 2 };
