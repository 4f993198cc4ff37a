import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { LATER, Store } from "./store.ts";

function storeOf(count: number): Store {
  const store = new Store();
  for (let number = 0; number < count; number++) {
    session({ id: `s${number}` })
      .user(`question ${number}`)
      .write(store.path(`p/${number}.jsonl`));
  }
  store.sync();
  return store;
}

function remove(store: Store, count: number): void {
  for (let number = 0; number < count; number++) rmSync(store.path(`p/${number}.jsonl`));
}

function sessionCount(store: Store): unknown {
  return store.column("SELECT count(*) FROM sessions")[0];
}

describe("B5: a file that is gone", () => {
  test("is removed with everything the index had of it", () => {
    const store = storeOf(3);
    store.feed();
    remove(store, 1);
    expect(store.sync().files).toMatchObject({ seen: 2, removed: 1 });
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is removed though it was the only one", () => {
    const store = storeOf(1);
    remove(store, 1);
    store.sync();
    expect(sessionCount(store)).toBe(0);
  });

  test("comes back when it is put back", () => {
    const store = storeOf(2);
    renameSync(store.path("p/0.jsonl"), `${store.indexFolder}/aside`);
    store.sync();
    renameSync(`${store.indexFolder}/aside`, store.path("p/0.jsonl"));
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

describe("B16: many files at once", () => {
  test("are removed while most of them stay", () => {
    const store = storeOf(50);
    remove(store, 25);
    expect(store.sync().files.removed).toBe(25);
  });

  test("are kept and named when most of what there was is gone", () => {
    const store = storeOf(40);
    remove(store, 21);
    const { files, troubles } = store.sync();
    expect([files.removed, sessionCount(store)]).toEqual([0, 40]);
    expect(new Set(troubles.map(({ kind }) => kind))).toEqual(new Set(["vanished"]));
    expect(troubles).toHaveLength(21);
  });

  test("are removed when they are there under names that say to read them in another way", () => {
    const store = storeOf(40);
    for (let number = 0; number < 40; number++) {
      renameSync(store.path(`p/${number}.jsonl`), store.path(`p/${number}.json`));
    }
    expect(store.sync()).toMatchObject({ files: { removed: 40 }, troubles: [] });
    expect(sessionCount(store)).toBe(0);
  });

  test("are removed by a rebuild all the same", () => {
    const store = storeOf(40);
    remove(store, 21);
    store.sync({ rebuild: true });
    expect(sessionCount(store)).toBe(19);
  });

  test("may be moved", () => {
    const store = storeOf(40);
    renameSync(store.path("p"), store.path("q"));
    const { files, troubles } = store.sync();
    expect([files.removed, troubles, sessionCount(store)]).toEqual([0, [], 40]);
  });
});

describe("B16: a root that is missing", () => {
  test("has nothing removed", () => {
    const store = storeOf(3);
    renameSync(store.root, `${store.root}-away`);
    const { files, complete } = store.sync();
    renameSync(`${store.root}-away`, store.root);
    expect([files.removed, complete, sessionCount(store)]).toEqual([0, true, 3]);
  });

  test("is read no further when it comes back unchanged", () => {
    const store = storeOf(3);
    renameSync(store.root, `${store.root}-away`);
    store.sync();
    renameSync(`${store.root}-away`, store.root);
    expect(store.sync()).toMatchObject({ bytesRead: 0, files: { unchanged: 3, removed: 0 } });
  });

  test("loses only what is gone in the others", () => {
    const [store, other] = [storeOf(2), tempDir()];
    session({ id: "o" }).user("x").write(`${other}/o.jsonl`);
    const sync = () => syncAll(store.index, [store.root, other], { now: LATER });
    sync();
    rmSync(other, { recursive: true });
    remove(store, 1);
    expect([sync().files.removed, sessionCount(store)]).toEqual([1, 2]);
    mkdirSync(other);
  });
});

describe("B16: what lies outside of the roots that are synced", () => {
  test("is left alone", () => {
    const [store, other] = [storeOf(2), tempDir()];
    session({ id: "o" }).user("x").write(`${other}/o.jsonl`);
    syncAll(store.index, [other], { now: LATER });
    expect(sessionCount(store)).toBe(3);
  });

  test("is left alone by a rebuild", () => {
    const [store, other] = [storeOf(2), tempDir()];
    session({ id: "o" }).user("x").write(`${other}/o.jsonl`);
    syncAll(store.index, [other], { now: LATER, rebuild: true });
    expect(sessionCount(store)).toBe(3);
  });

  test("is told apart from a root whose name begins alike", () => {
    const store = new Store();
    for (const name of ["a", "ab"])
      session({ id: name })
        .user("x")
        .write(store.path(`${name}/1.jsonl`));
    store.sync();
    rmSync(store.path("ab/1.jsonl"));
    syncAll(store.index, [store.path("a")], { now: LATER });
    expect(sessionCount(store)).toBe(2);
  });
});

test("an index of an empty root is empty", () => {
  const store = new Store();
  expect(store.sync()).toMatchObject({ complete: true, files: { seen: 0 }, troubles: [] });
  expect(readdirSync(store.root)).toEqual([]);
});
