import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { purge } from "../../../src/search/purge.ts";
import { session } from "../../helpers/session-builder.ts";
import { Store } from "../../indexing/store.ts";

const KINDS = `SELECT type, role, provider, model, tool_name, is_error, custom_type FROM entry_kinds ORDER BY id`;

describe("what entries have in common", () => {
  test("stands once for all of them, in whatever sync they come", () => {
    const store = new Store();
    for (const id of ["a", "b", "c"]) {
      session({ id })
        .user("one")
        .assistant()
        .user("two")
        .assistant()
        .write(store.path(`${id}.jsonl`));
      store.sync();
    }
    expect(store.rows("SELECT type, role FROM entry_kinds ORDER BY id")).toEqual([
      ["message", "user"],
      ["message", "assistant"],
    ]);
    expect(store.rows("SELECT count(*), count(DISTINCT kind) FROM usage_rows")).toEqual([[6, 1]]);
  });

  test("is told apart where nothing, an empty name and a name for nothing differ", () => {
    const store = new Store();
    const names = [null, "", "null", "\u0000", '","', 'a","b', ["a", "b"]];
    const built = session();
    for (const name of names) built.entry("custom", { customType: name });
    built.write(store.path("s.jsonl"));
    store.sync();
    expect(store.rows(KINDS).map((row) => row.at(-1))).toEqual([null, "", "null", "\u0000", '","', 'a","b']);
    expect(store.rows("SELECT custom_type FROM entries ORDER BY key").flat()).toEqual([
      null,
      "",
      "null",
      "\u0000",
      '","',
      'a","b',
      null,
    ]);
  });

  test("is written again where the file that brought it had to be undone", () => {
    const store = new Store();
    const spoilt = session({ id: "spoilt" }).custom("shared");
    spoilt.write(store.path("b.jsonl"));
    session({ id: "sound" }).custom("shared").write(store.path("a.jsonl"));
    store.index.database.exec(`CREATE TEMP TRIGGER spoil AFTER INSERT ON sessions WHEN new.session_id = 'spoilt'
      BEGIN SELECT raise(ABORT, 'spoilt'); END`);
    expect(store.sync().files).toMatchObject({ indexed: 1, failed: 1 });
    expect(store.rows("SELECT custom_type FROM entries")).toEqual([["shared"]]);
  });

  test("F12, I-14: is gone with a purge when no entry is left that has it", () => {
    const store = new Store();
    session({ id: "kept" }).user("plum").write(store.path("kept.jsonl"));
    session({ id: "gone" })
      .custom("zwetschge")
      .assistant({ model: "quarkstrudel", provider: "hollerkoch" })
      .write(store.path("gone.jsonl"));
    store.sync();
    store.feed();
    rmSync(store.path("gone.jsonl"));
    store.sync();
    store.feed();
    expect(purge(store.index)).toBe(true);
    const bytes = readdirSync(store.indexFolder).map((name) =>
      readFileSync(join(store.indexFolder, name), "latin1"),
    );
    const found = ["zwetschge", "quarkstrudel", "hollerkoch"].filter((name) => bytes.join().includes(name));
    expect([
      found,
      store.rows("SELECT role FROM entry_kinds"),
      store.rows("SELECT source FROM usage_kinds"),
    ]).toEqual([[], [["user"]], []]);
  });
});

describe("what other rows say is not said again", () => {
  const stored = (store: Store, columns: string) =>
    store.rows(`SELECT ${columns} FROM entry_rows ORDER BY key`);

  test("the id of a parent is that of the entry with its key; of one that is not there it is kept", () => {
    const store = new Store();
    const built = session().user("one").user("two");
    built.entry("custom", { parentId: "nobody" }).write(store.path("s.jsonl"));
    store.sync();
    expect(stored(store, "parent_key, unknown_parent")).toEqual([
      [null, null],
      [1, null],
      [null, "nobody"],
    ]);
    expect(store.rows("SELECT parent_id FROM entries ORDER BY key").flat()).toEqual([
      null,
      ...store.rows("SELECT entry_id FROM entries WHERE key = 1").flat(),
      "nobody",
    ]);
  });

  test.each([
    ["short", "short", true],
    ["x".repeat(80), "x".repeat(80), true],
    [`${"x".repeat(80)} and more`, "x".repeat(80), true],
    ["two\nlines", "two lines", false],
    [" spaced", "spaced", false],
    ["trailing ", "trailing", false],
    [`emoji 😀 ${"x".repeat(100)}`, `emoji 😀 ${"x".repeat(71)}`, false],
    [`nul \u0000 ${"x".repeat(100)}`, `nul \u0000 ${"x".repeat(74)}`, false],
    ["你好，世界", "你好，世界", true],
  ])("the preview of %j is %j and left to its text: %s", (text, preview, isLeft) => {
    const store = new Store();
    session().user(text).write(store.path("s.jsonl"));
    store.sync();
    expect(stored(store, "preview")).toEqual([[isLeft ? null : preview]]);
    expect(store.rows("SELECT preview FROM entries")).toEqual([[preview]]);
  });

  test("what an entry without an id spent goes by its line", () => {
    const store = new Store();
    const spent = session().assistant();
    const [header, line = ""] = spent.lines();
    store.write("s.jsonl", `${header}\n${line.replace(/"id":"[^"]*",/, "")}\n`);
    store.sync();
    expect(store.rows("SELECT entry_id FROM usage")).toEqual([["v1-2"]]);
    expect(store.rows("SELECT entry_id FROM entries")).toEqual([[null]]);
  });
});
