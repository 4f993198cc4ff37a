/** As many as usual are 300, and as `SESSIONDB_FUZZ_RUNS` says: of whatever is drawn there are so many in proportion. */
const SHARE = Number(process.env.SESSIONDB_FUZZ_RUNS ?? 300) / 300;

/** How many of what is drawn at random. */
export function runs(usual: number): number {
  return Math.ceil(usual * SHARE);
}

/** Of how many that are gone through in turn one is tried. */
export function everyOf(usual: number): number {
  return Math.ceil(usual / SHARE);
}

/** Another one each time, which the tests name; `SESSIONDB_FUZZ_SEED` draws the same again. */
export const SEED = Number(process.env.SESSIONDB_FUZZ_SEED ?? Date.now() % 1_000_000);
