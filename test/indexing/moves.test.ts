import { appendFileSync, linkSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { session } from "../helpers/session-builder.ts";
import { LATER, Store } from "./store.ts";

function storeWithOne(name = "p/a.jsonl"): Store {
  const store = new Store();
  const built = session({ id: "a" }).user("question").assistant();
  built.label(built.lastId ?? "", "mark").write(store.path(name));
  store.sync();
  return store;
}

function move(store: Store, from: string, to: string): void {
  mkdirSync(dirname(store.path(to)), { recursive: true });
  renameSync(store.path(from), store.path(to));
}

const KEYS = "SELECT key FROM entries ORDER BY key";

describe("B3: a file that was moved", () => {
  test("keeps its entry keys", () => {
    const store = storeWithOne();
    const before = store.column(KEYS);
    move(store, "p/a.jsonl", "q/b.jsonl");
    const { files, entries } = store.sync();
    expect([store.column(KEYS), files.removed, entries.added]).toEqual([before, 0, 0]);
    expect(store.column("SELECT path FROM files")).toEqual([store.path("q/b.jsonl")]);
  });

  test("keeps its entry keys and gains new ones when it grew as well", () => {
    const store = storeWithOne();
    const before = store.column(KEYS);
    move(store, "p/a.jsonl", "q/b.jsonl");
    appendFileSync(store.path("q/b.jsonl"), `${session({ id: "more" }).user("more").lines()[1]}\n`);
    store.sync();
    expect(store.column(KEYS).slice(0, before.length)).toEqual(before);
    expect(store.column(KEYS)).toHaveLength(before.length + 1);
  });

  test("loses them when it was rewritten as well", () => {
    const store = storeWithOne();
    move(store, "p/a.jsonl", "q/b.jsonl");
    store.write("q/b.jsonl", session({ id: "b" }).user("another").bytes());
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is found by search before and after, whenever the full text follows", () => {
    const store = storeWithOne();
    move(store, "p/a.jsonl", "q/b.jsonl");
    store.feed();
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is a sub-agent's by where it lies now", () => {
    const store = storeWithOne();
    move(store, "p/a.jsonl", "p/a/0f/run-1/session.jsonl");
    store.sync();
    expect(store.column("SELECT origin FROM sessions")).toEqual(["subagent"]);
  });

  test("takes the place of one that is gone", () => {
    const store = storeWithOne();
    session({ id: "b" }).user("b").write(store.path("p/b.jsonl"));
    store.sync();
    renameSync(store.path("p/a.jsonl"), store.path("p/b.jsonl"));
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("changes places with another", () => {
    const store = storeWithOne();
    session({ id: "b" }).user("b").write(store.path("p/b.jsonl"));
    store.sync();
    for (const [from, to] of [
      ["p/a.jsonl", "p/c"],
      ["p/b.jsonl", "p/a.jsonl"],
      ["p/c", "p/b.jsonl"],
    ] as const)
      renameSync(store.path(from), store.path(to));
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test.each([
    ["a.jsonl", "a.json"],
    ["a.json", "a.jsonl"],
  ])("is read anew where its name says to read it in another way: %s to %s", (from, to) => {
    const store = new Store();
    const { header, entries } = session().user("question");
    const lines = from === "a.json" ? [[header, ...entries]] : [header, ...entries];
    store.write(from, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    store.sync();
    expect(store.column(KEYS)).toHaveLength(1);
    renameSync(store.path(from), store.path(to));
    store.sync();
    store.feed();
    expect(store.column(KEYS)).toEqual([]);
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

describe("B14: a file with several names", () => {
  test("counts once by its hard links, and under the first", () => {
    const store = storeWithOne();
    linkSync(store.path("p/a.jsonl"), store.path("p/0.jsonl"));
    store.sync();
    expect(store.column("SELECT path FROM files")).toEqual([store.path("p/0.jsonl")]);
  });

  test("counts once by its links", () => {
    const store = storeWithOne();
    symlinkSync("p", store.path("again"));
    store.sync();
    store.feed();
    expect(store.column("SELECT count(*) FROM files")).toEqual([1]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is a sub-agent's or not by the name it is reached by, though nothing else of it has changed", () => {
    const store = storeWithOne("run-1/session.jsonl");
    const link = `${store.indexFolder}/link`;
    symlinkSync(store.path("run-1"), link);
    const origins = [[store.root], [link], [store.root]].map((roots) => {
      syncAll(store.index, roots, { now: LATER });
      return store.rows("SELECT path, origin FROM files JOIN sessions ON file_id = files.id");
    });
    const [asSubagent, asOther] = [
      [[store.path("run-1/session.jsonl"), "subagent"]],
      [[`${link}/session.jsonl`, "interactive"]],
    ];
    expect(origins).toEqual([asSubagent, asOther, asSubagent]);
  });

  test("is called by the name of the root it is reached through", () => {
    const store = storeWithOne();
    const link = `${store.indexFolder}/link`;
    symlinkSync(store.root, link);
    syncAll(store.index, [link], { now: LATER });
    expect(store.rows("SELECT path, real_path FROM files")).toEqual([
      [`${link}/p/a.jsonl`, store.path("p/a.jsonl")],
    ]);
  });
});
