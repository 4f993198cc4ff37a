import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { ccusageCommand, importPeer, isMissing } from "./peers.ts";

test.skipIf(isMissing("ccusage"))("ccusage can be started", () => {
  expect(execFileSync(ccusageCommand(), ["--version"], { encoding: "utf8" })).toContain("20.0.24");
});

test.skipIf(isMissing("piSessionManagerModule"))("the oracle can be imported", async () => {
  const oracle = await importPeer<{ CURRENT_SESSION_VERSION: number }>("piSessionManagerModule");
  expect(oracle.CURRENT_SESSION_VERSION).toBe(3);
});
