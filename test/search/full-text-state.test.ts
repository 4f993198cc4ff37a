import { existsSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { entriesBehind } from "../../src/search/full-text-state.ts";
import { openIndex } from "../../src/store/open.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

describe("entries that are not searchable yet", () => {
  const filled = (feeds: boolean) => {
    const [folder, root] = [tempDir(), tempDir()];
    session().user("x").assistant().writeBelow(root);
    withIndex(folder, (index) => {
      syncAll(index, [root]);
      if (feeds) feedSearch(index);
    });
    return folder;
  };

  test("are all while there is no full text", () => {
    const folder = filled(false);
    expect(withIndex(folder, (index) => entriesBehind(index))).toBe(2);
    expect(existsSync(indexIn(folder).searchPath)).toBe(false);
  });

  test("are none when it has followed", () => {
    expect(withIndex(filled(true), (index) => entriesBehind(index))).toBe(0);
  });

  test("are all when the full text is of another index", () => {
    const folder = filled(true);
    rmSync(indexIn(folder).indexPath);
    const root = tempDir();
    session().user("y").writeBelow(root);
    withIndex(folder, (index) => syncAll(index, [root]));
    expect(withIndex(folder, (index) => entriesBehind(index))).toBe(1);
  });

  test("include those whose session file was gone when it was their turn", () => {
    const [folder, root] = [tempDir(), tempDir()];
    const path = session().user("x").assistant().writeBelow(root);
    withIndex(folder, (index) => syncAll(index, [root]));
    rmSync(path);
    const { behind } = withIndex(folder, (index) => feedSearch(index));
    expect([behind, withIndex(folder, (index) => entriesBehind(index))]).toEqual([2, 2]);
    // Of a folder that nobody asks about, they are nobody's concern.
    const below = (...roots: string[]) => withIndex(folder, (index) => entriesBehind(index, roots));
    expect([below(root), below(tempDir(), root), below(tempDir())]).toEqual([2, 2, 0]);
  });

  test("are counted in an index that is only read", () => {
    const index = openIndex(indexIn(filled(true)), { readonly: true });
    expect(entriesBehind(index)).toBe(0);
    index.close();
  });
});
