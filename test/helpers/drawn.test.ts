import { expect, onTestFinished, test, vi } from "vitest";
import { fc } from "./drawn.ts";
import { runs, SEED } from "./fuzz.ts";

/** What fast-check goes by in a process with these variables. */
async function parametersWith(env: Record<string, string | undefined>): Promise<unknown> {
  const before = fc.readConfigureGlobal();
  onTestFinished(() => fc.configureGlobal(before));
  fc.resetConfigureGlobal();
  vi.resetModules();
  const names = ["SESSIONDB_FUZZ_SEED", "SESSIONDB_FUZZ_RUNS"];
  for (const name of names) vi.stubEnv(name, env[name]);
  await import("./drawn.ts");
  const { seed, numRuns } = fc.readConfigureGlobal();
  return { seed, numRuns };
}

test("the tests of this run draw by what it was started with", () => {
  const isTold = process.env.SESSIONDB_FUZZ_SEED !== undefined;
  expect(fc.readConfigureGlobal()).toEqual({ numRuns: runs(100), ...(isTold && { seed: SEED }) });
});

test.each([
  [{ SESSIONDB_FUZZ_SEED: "4711" }, { seed: 4711, numRuns: 100 }],
  [
    { SESSIONDB_FUZZ_SEED: "-7", SESSIONDB_FUZZ_RUNS: "600" },
    { seed: -7, numRuns: 200 },
  ],
  [{ SESSIONDB_FUZZ_RUNS: "30" }, { seed: undefined, numRuns: 10 }],
  [{}, { seed: undefined, numRuns: 100 }],
])("with %j fast-check draws by them", async (env, parameters) => {
  expect(await parametersWith(env)).toEqual(parameters);
});

test("a failure names the seed, which draws the same again", async () => {
  const drawn: number[][] = [];
  const failure = (): string => {
    const values: number[] = [];
    drawn.push(values);
    const { seed } = fc.check(
      fc.property(fc.nat(), (value) => {
        values.push(value);
        return value < 1000;
      }),
    );
    return String(seed);
  };
  await parametersWith({});
  const seed = failure();
  await parametersWith({ SESSIONDB_FUZZ_SEED: seed });
  expect([failure(), drawn[1]]).toEqual([seed, drawn[0]]);
});
