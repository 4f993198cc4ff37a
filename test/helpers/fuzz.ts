/**
 * How many of what is drawn at random: as many as usual, or as `SESSIONDB_FUZZ_RUNS` says where 300 are usual, and in
 * proportion elsewhere.
 */
export function runs(usual: number): number {
  return Math.ceil((usual * Number(process.env.SESSIONDB_FUZZ_RUNS ?? 300)) / 300);
}

/** Another one each time, which the tests name; `SESSIONDB_FUZZ_SEED` draws the same again. */
export const SEED = Number(process.env.SESSIONDB_FUZZ_SEED ?? Date.now() % 1_000_000);
