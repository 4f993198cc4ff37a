import { describe, expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { dumpIndex, type IndexDump } from "../helpers/index-dump.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function sessionsRoot(): string {
  const root = tempDir();
  const parent = session().user("question").assistant().toolResult("out").name("named");
  parent
    .label(parent.lastId ?? "", "mark")
    .raw("junk")
    .writeBelow(root);
  parent.fork({ id: "fork" }).assistant().writeBelow(root);
  return root;
}

function filled(folder: string, root: string): IndexDump {
  return withIndex(folder, (index) => {
    syncAll(index, [root]);
    feedSearch(index);
    return dumpIndex(index);
  });
}

function outdate(folder: string, which: "database" | "search"): void {
  withIndex(folder, (index) => index[which].pragma("user_version = 0"));
}

describe("D12: an index filled by an older program", () => {
  test("is emptied when it is opened", () => {
    const folder = tempDir();
    const tables = Object.keys(filled(folder, sessionsRoot())).filter((name) => name !== "entry_text");
    outdate(folder, "database");
    const left = withIndex(folder, ({ database }) =>
      tables.filter((table) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() !== 0),
    );
    expect(left).toEqual([]);
  });

  test("says that it was, to whom it was opened for, also once the full text is used", () => {
    const folder = tempDir();
    filled(folder, sessionsRoot());
    outdate(folder, "database");
    const said = () =>
      withIndex(folder, (index) => {
        index.search.prepare("SELECT 1").get();
        return index.wasEmptied;
      });
    expect([said(), said()]).toEqual([true, false]);
  });

  test("comes to the same again with the next sync", () => {
    const [folder, root] = [tempDir(), sessionsRoot()];
    const before = filled(folder, root);
    outdate(folder, "database");
    expect(filled(folder, root)).toEqual(before);
  });

  test("never uses a key twice", () => {
    const [folder, root] = [tempDir(), sessionsRoot()];
    filled(folder, root);
    const keys = () =>
      withIndex(folder, ({ database }) =>
        database.prepare("SELECT min(key), max(key) FROM entries").raw().get(),
      );
    const [, last] = keys() as [number, number];
    outdate(folder, "database");
    filled(folder, root);
    const [first] = keys() as [number, number];
    expect(first).toBeGreaterThan(last);
  });

  test("is emptied once", () => {
    const [folder, root] = [tempDir(), sessionsRoot()];
    outdate(folder, "database");
    const before = filled(folder, root);
    expect(withIndex(folder, dumpIndex)).toEqual(before);
  });
});

describe("D12: a full text filled by an older program", () => {
  test("is emptied when it is opened", () => {
    const folder = tempDir();
    filled(folder, sessionsRoot());
    outdate(folder, "search");
    expect(withIndex(folder, dumpIndex).entry_text).toEqual([]);
  });

  test("says that it was, once it is used", () => {
    const folder = tempDir();
    filled(folder, sessionsRoot());
    outdate(folder, "search");
    const said = withIndex(folder, (index) => {
      const before = index.wasEmptied;
      index.search.prepare("SELECT 1").get();
      return [before, index.wasEmptied];
    });
    expect(said).toEqual([false, true]);
  });

  test("comes to the same again with the next feed", () => {
    const [folder, root] = [tempDir(), sessionsRoot()];
    const before = filled(folder, root);
    outdate(folder, "search");
    expect(filled(folder, root)).toEqual(before);
  });
});
