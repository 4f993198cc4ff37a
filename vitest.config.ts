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
  testTimeout: 120_000,
  hookTimeout: 120_000,
  unstubEnvs: true,
  restoreMocks: true,
} as const;

/** Tests that leave their process as they found it: they share one, which spares loading the same modules for each file. */
const TOGETHER = ["files", "filters", "format", "indexing", "reports", "search", "text"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    // Vitest leaves one core to itself; of two that would be half the machine, and the tests wait for much of their time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    globalSetup: ["test/helpers/borrowed-home.ts"],
    projects: [
      { test: { ...COMMON, name: "together", include: TOGETHER, isolate: false } },
      {
        test: {
          ...COMMON,
          name: "apart",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/peers/**", "test/bench/**", ...TOGETHER],
        },
      },
    ],
  },
});
