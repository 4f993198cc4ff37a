import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Set here as well as in `env`, so that a test's child processes and Node's first Date agree.
process.env.TZ = "UTC";

const COMMON = {
  // Processes, not threads: tests change the working directory, handle signals, and count open files.
  pool: "forks",
  setupFiles: "test/helpers/own-home.ts",
  env: { TZ: "UTC" },
  // Ends of what hangs, not limits of what is slow: later than those of `pollUntil`, which say what was waited for.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  unstubEnvs: true,
  restoreMocks: true,
} as const;

/** Tests that leave their process as they found it: they share one, which spares loading the same modules for each file. */
const TOGETHER = "api cli config export files filters format indexing projects reports runtime search text"
  .split(" ")
  .map((folder) => `test/${folder}/**/*.test.ts`);

const NO_TESTS = ["**/node_modules/**", "test/peers/**", "test/bench/**"];

export default defineConfig({
  test: {
    // Vitest leaves one core to itself; of two that would be half the machine, and the tests wait for much of their time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    globalSetup: ["test/helpers/borrowed-home.ts"],
    projects: [
      {
        test: {
          ...COMMON,
          name: "together",
          include: TOGETHER,
          exclude: NO_TESTS,
          isolate: false,
        },
      },
      {
        test: {
          ...COMMON,
          name: "apart",
          include: ["test/**/*.test.ts"],
          exclude: [...NO_TESTS, ...TOGETHER],
        },
      },
    ],
  },
});
