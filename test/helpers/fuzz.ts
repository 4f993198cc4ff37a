/** How much more than usual is drawn: `SESSIONDB_FUZZ_RUNS` as a share of the usual 300. */
const SHARE = Number(process.env.SESSIONDB_FUZZ_RUNS ?? 300) / 300;

/** How often something is drawn at random. */
export function runs(usual: number): number {
  return Math.ceil(usual * SHARE);
}

/** Of things that are gone through in turn, one of so many is tried. */
export function everyOf(usual: number): number {
  return Math.ceil(usual / SHARE);
}

/** A new one for each run, which the tests print; with `SESSIONDB_FUZZ_SEED` the same things are drawn again. */
export const SEED = Number(process.env.SESSIONDB_FUZZ_SEED ?? Date.now() % 1_000_000);
