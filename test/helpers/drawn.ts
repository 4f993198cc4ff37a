import fc from "fast-check";
import { runs, SEED } from "./fuzz.ts";

// What fast-check draws goes by the variables that everything else drawn here goes by. Without a seed it draws one, and
// names it in a failure.
const { SESSIONDB_FUZZ_SEED } = process.env;
fc.configureGlobal({ numRuns: runs(100), ...(SESSIONDB_FUZZ_SEED !== undefined && { seed: SEED }) });

export { fc };
