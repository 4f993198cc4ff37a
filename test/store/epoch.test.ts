import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeFiles } from "../../src/indexing/remove-files.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { deletionEpoch } from "../../src/store/statements.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("whether rows may have been removed is told: not by new ones, but by those of a file, and by an index made anew", () => {
  const [folder, root] = [tempDir(), tempDir()];
  const paths = ["a", "b"].map((id) => join(root, "project", `${id}.jsonl`));
  const mark = () => withIndex(folder, ({ database }) => deletionEpoch(database));
  const synced = (path = "") => {
    session({ id: path }).user("hello").write(path);
    withIndex(folder, (index) => syncAll(index, [root]));
    return mark();
  };
  const first = synced(paths[0]);
  expect(synced(paths[1])).toBe(first);
  withIndex(folder, (index) => removeFiles(index, paths.slice(1)));
  const second = mark();
  expect(second).not.toBe(first);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  const fresh = mark();
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect(new Set([first, second, fresh, mark()]).size).toBe(4);
});
