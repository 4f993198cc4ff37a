import { mkdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { IndexLocation } from "../../src/store/location.ts";
import { openIndex } from "../../src/store/open.ts";
import { indexIn } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { runCli, runJson, sampleAgent, takeIn } from "./pretend-world.ts";

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

test.each([
  ["missed_keys", ["search", "harvest", "--no-sync"]],
  ["key_blocks", ["verify"]],
])("D9: where another program has dropped %s from the full text, its file is named", async (table, argv) => {
  const { world, location } = await indexed();
  const index = openIndex(location);
  index.search.exec(`DROP TABLE ${table}`);
  index.close();
  const { code, stderr } = await runCli(argv, world);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`is damaged: ${location.searchPath}`)]);
  const { findings } = JSON.parse((await runCli(["doctor", "--json"], world)).stdout);
  expect(findings[0]).toMatchObject({
    level: "error",
    what: `the index is damaged: table ${table} is missing`,
    where: location.searchPath,
  });
});

test("D9: where the rows lack a table, and the full text is whole, the file of the rows is named", async () => {
  const { world, location } = await indexed();
  const index = openIndex(location);
  index.database.exec("DROP TABLE labels");
  index.close();
  const { stderr } = await runCli(["labels"], world);
  expect(stderr).toContain(`is damaged: ${location.indexPath}`);
});

const FILES = ["indexPath", "searchPath"] as const;

test.each(FILES)("D9: a damaged file of an index that --db has named has one way out: %s", async (which) => {
  const { world, location } = await indexed();
  const named = ["--db", location.indexPath];
  const question = ["search", "harvest", "--no-sync", ...named];
  const before = await runJson(question, world);
  truncateSync(location[which], 20_000);
  const asked =
    which === "indexPath" ? ["list", "list --no-sync", "daemon status", "doctor", "sync --rebuild"] : [];
  for (const command of [...asked, "search harvest", "search harvest --no-sync"]) {
    const { stdout, stderr } = await runCli([...command.split(" "), ...named], world);
    const said = command === "doctor" ? stdout : stderr;
    expect([command, said]).toEqual([
      command,
      expect.stringContaining("delete it and run sessiondb sync with the same options"),
    ]);
    expect(said).not.toContain("--rebuild");
  }
  rmSync(location[which]);
  await takeIn(world, ...named);
  expect(await runJson(question, world)).toEqual(before);
});
