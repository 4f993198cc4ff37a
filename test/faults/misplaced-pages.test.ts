/** Pages of the index that stand in the place of others, as after a write that went astray: each is sound by itself. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { feedSearch, syncAll } from "../../src/index.ts";
import { damageIn } from "../../src/store/diagnose.ts";
import { loadSqlite } from "../../src/store/native.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../indexing/store.ts";
import { isBuilt, sessiondb } from "./command.ts";

const LEAVES = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path";
const CORRUPT = expect.objectContaining({ code: "index_corrupt" });

/** The folder of an index without a full text, large enough for tables of several pages. */
function manySessions(): string {
  const store = new Store();
  for (let name = 0; name < 40; name++) {
    const built = session({ id: `session-${name}` });
    for (let turn = 0; turn < 10; turn++) built.user(`question ${turn}`).assistant({ usage: {} });
    built.writeBelow(store.root);
  }
  store.sync();
  store.close();
  return store.indexFolder;
}

/** Writes a leaf of a table or an index over one of another; those after the first are counted from 0, before the last from -1. */
function misplace(
  folder: string,
  from: [name: string, leaf: number],
  to: [name: string, leaf: number],
): void {
  const path = join(folder, "index-v1.db");
  const { size, pages } = withIndex(folder, ({ database }) => ({
    size: Number(database.pragma("page_size", { simple: true })),
    pages: [from, to].map(([name, leaf]) => Number(database.prepare(LEAVES).pluck().all(name).at(leaf))),
  }));
  const bytes = readFileSync(path);
  const [source = 0, target = 0] = pages;
  bytes.copy(bytes, size * (target - 1), size * (source - 1), size * source);
  writeFileSync(path, bytes);
}

test("D9: keys of entries that do not rise: filling the full text ends, and says so", () => {
  const folder = manySessions();
  misplace(folder, ["entry_rows", 0], ["entry_rows", -1]);
  withIndex(folder, (index) => expect(() => feedSearch(index)).toThrow(CORRUPT));
});

test("D9: rows that make no sense are no bug of ours", () => {
  const folder = manySessions();
  misplace(folder, ["usage_by_bill", 0], ["files_by_real_path", 0]);
  withIndex(folder, (index) => expect(() => syncAll(index, [tempDir()])).toThrow(CORRUPT));
});

test("D9: an SQL index of some rows that has others is damaged, though nothing is missing in it", () => {
  const folder = manySessions();
  misplace(folder, ["files_by_real_path", 0], ["files_troubled", 0]);
  expect(damageIn(indexIn(folder))).toBe("index");
});

describe.skipIf(!isBuilt)("D9: sync --rebuild makes an index anew", () => {
  test.each([
    [
      "that does not say how far it was migrated",
      "index-v1.db",
      "DELETE FROM meta WHERE name = 'migrations'",
    ],
    ["whose full text says nothing of itself", "search-v1.db", "DELETE FROM meta"],
    [
      "that fails, though no damage shows",
      "index-v1.db",
      "CREATE TRIGGER unfit BEFORE DELETE ON files BEGIN SELECT nobody_has_this(); END",
    ],
  ])("%s", (_, name, change) => {
    const agentDir = tempDir();
    session({ id: "a" }).user("apple").assistant().writeBelow(join(agentDir, "sessions"));
    sessiondb(agentDir, "sync");
    const database = new (loadSqlite())(join(agentDir, "sessiondb", name));
    database.exec(change);
    database.close();
    expect(sessiondb(agentDir, "sync", "--rebuild")).toMatchObject({ status: 0 });
    expect(sessiondb(agentDir, "search", "apple", "--json").stdout).toContain('"total": 1');
  });
});
