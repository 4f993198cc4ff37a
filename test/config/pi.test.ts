import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { defaultAgentDir, getDefaultSessionDir } from "../../src/config/pi.ts";
import { importPeer, isMissing } from "../helpers/peers.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("the agent folder is the environment's, else below home", () => {
  expect(defaultAgentDir({ PI_CODING_AGENT_DIR: "~/agent" }, "/home/ada")).toBe(join(homedir(), "agent"));
  expect(defaultAgentDir({ PI_CODING_AGENT_DIR: "" }, "/home/ada")).toBe("/home/ada/.pi/agent");
  expect(defaultAgentDir({}, "/home/ada")).toBe("/home/ada/.pi/agent");
});

describe.skipIf(isMissing("piSessionManagerModule"))("the folder of a working directory", () => {
  test.each(["/a/b", "/", "relative/dir", "~/home", "/a:b\\c", "/with space/é"])(
    "%s is pi's",
    async (cwd) => {
      vi.stubEnv("PI_CODING_AGENT_DIR", tempDir());
      const pi = await importPeer<{ getDefaultSessionDir: typeof getDefaultSessionDir }>(
        "piSessionManagerModule",
      );
      expect(getDefaultSessionDir(cwd)).toBe(pi.getDefaultSessionDir(cwd));
      const other = tempDir();
      expect(getDefaultSessionDir(cwd, other)).toBe(pi.getDefaultSessionDir(cwd, other));
    },
  );
});
