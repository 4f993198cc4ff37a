import { runs, SEED } from "./fuzz.ts";

// Runs before every test file: what fast-check draws goes by the variables that everything else drawn here goes by. Without
// them it is left alone, which draws a seed and names it in a failure: loading it takes longer than many a test.
const { SESSIONDB_FUZZ_SEED, SESSIONDB_FUZZ_RUNS } = process.env;
if (SESSIONDB_FUZZ_SEED !== undefined || SESSIONDB_FUZZ_RUNS !== undefined) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ numRuns: runs(100), ...(SESSIONDB_FUZZ_SEED !== undefined && { seed: SEED }) });
}
