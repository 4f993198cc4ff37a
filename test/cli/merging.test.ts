import { join } from "node:path";
import { expect, test } from "vitest";
import { withIndex } from "../helpers/open-index.ts";
import { addSegments, countSegments } from "../helpers/segments.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli } from "./pretend-world.ts";

/** So many that to merge them takes more than a search does of it. */
const SEGMENTS = 60;

test("search leaves most of what is to be merged to others", async () => {
  const agentDir = emptyAgent(tempDir());
  const [root, folder] = [join(agentDir, "sessions"), join(agentDir, "sessiondb")];
  withIndex(folder, (index) => addSegments(index, root, SEGMENTS));
  session({ id: "last" }).user("apple").writeBelow(root);
  expect((await runCli(["search", "apple"], { agentDir })).stdout).toContain("last.jsonl");
  expect(withIndex(folder, countSegments)).toBeGreaterThan(SEGMENTS);
});
