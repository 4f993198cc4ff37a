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
 * make: 45 properties an entry. Numbers are handed over without being copied, texts that repeat are sent once.
 */
export interface DigestColumns {
  /** Texts that repeat, each once; the first, null, stands for no text. */
  words: readonly (string | null)[];
  /** Four for each entry: offset, length, time, time of activity; NaN where there is none. */
  numbers: Float64Array;
  /** Eight for each entry: flags, how many calls, and numbers of words. */
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
};
