import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type IndexLocation, openIndex } from "../../src/db/open.ts";
import { indexIn } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { runCli, sampleAgent, takeIn } from "./pretend-world.ts";

/** The samples, indexed, with their index and a trash. */
async function indexed() {
  const folder = tempDir();
  const world = { agentDir: sampleAgent(folder), trash: join(folder, "trash") };
  mkdirSync(world.trash);
  await takeIn(world);
  return { world, location: indexIn(join(world.agentDir, "sessiondb")) };
}

/** Overwrites what the full text needs to find its segments. The file can still be opened. */
function damageFullText(location: IndexLocation): void {
  const index = openIndex(location);
  index.search.unsafeMode();
  index.search.exec("UPDATE entry_text_data SET block = x'ffffffffffffffff' WHERE id = 10");
  index.close();
}

test.each([
  ["search", "harvest"],
  ["search", "harvest", "--no-sync"],
  ["delete", "01a1bfc2", "--yes"],
])("D9: where the full text is damaged inside, its file is named: %s %s %s", async (...argv) => {
  const { world, location } = await indexed();
  damageFullText(location);
  const { code, stderr } = await runCli(argv, world);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`is damaged: ${location.searchPath}`)]);
});
