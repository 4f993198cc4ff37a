import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Set here as well as in `test.env`, so that a test's child processes and Node's first Date agree.
process.env.TZ = "UTC";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/peers/**", "test/bench/**"],
    // better-sqlite3 is a native addon: a process a file keeps one test's open databases out of the next.
    pool: "forks",
    // Vitest leaves one core to itself; of two that would be half the machine, and the tests wait for much of their time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    globalSetup: ["test/helpers/borrowed-home.ts"],
    setupFiles: ["test/helpers/own-home.ts"],
    env: { TZ: "UTC" },
    // Ends of what hangs, not limits of what is slow: later than those of `pollUntil`, which say what was waited for.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    unstubEnvs: true,
    restoreMocks: true,
  },
});
