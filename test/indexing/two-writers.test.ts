/** What one process settles by a look at the files, and another has settled in between. */
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { scanRoots } from "../../src/indexing/scan.ts";
import { type SyncOptions, SyncRun } from "../../src/indexing/sync-run.ts";
import { session } from "../helpers/session-builder.ts";
import { LATER, Store } from "./store.ts";

/** Two sessions, and a look at their files after `first`; it is settled after `then` and another sync. */
function settledLate(first: (store: Store) => void, then: (store: Store) => void): Store {
  const store = new Store();
  session({ id: "a" }).user("apples").assistant().write(store.path("a.jsonl"));
  store.sync();
  first(store);
  const scan = scanRoots(store.index.database, [store.root]);
  then(store);
  store.sync();
  const run = new SyncRun(store.index, [store.root], { now: LATER, scan });
  while (run.step());
  return store;
}

function paths(store: Store): unknown[] {
  return store.column("SELECT path FROM files ORDER BY path");
}

describe("a file that another process has settled since the look", () => {
  test("was moved, and has come back: what lies at the other place now has rows of its own", () => {
    const store = settledLate(
      (store) => renameSync(store.path("a.jsonl"), store.path("b.jsonl")),
      (store) => {
        renameSync(store.path("b.jsonl"), store.path("a.jsonl"));
        copyFileSync(store.path("a.jsonl"), store.path("b.jsonl"));
      },
    );
    expect(paths(store)).toEqual([store.path("a.jsonl"), store.path("b.jsonl")]);
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("was moved, and another took its place", () => {
    const store = settledLate(
      (store) => renameSync(store.path("a.jsonl"), store.path("b.jsonl")),
      (store) => {
        rmSync(store.path("b.jsonl"));
        session({ id: "b" }).user("pears").assistant().write(store.path("b.jsonl"));
      },
    );
    expect(paths(store)).toEqual([store.path("b.jsonl")]);
    expect(store.column("SELECT session_id FROM sessions")).toEqual(["b"]);
  });

  test("is gone, and its number is another file's", () => {
    const store = settledLate(
      (store) => rmSync(store.path("a.jsonl")),
      (store) => {
        const [number] = store.column("SELECT id FROM files");
        store.sync();
        session({ id: "c" }).user("plums").assistant().write(store.path("c.jsonl"));
        store.sync();
        expect(store.column("SELECT id FROM files")).toEqual([number]);
      },
    );
    expect(paths(store)).toEqual([store.path("c.jsonl")]);
  });

  test("was gone, and has come back", () => {
    const store = settledLate(
      (store) => rmSync(store.path("a.jsonl")),
      (store) => session({ id: "a" }).user("apples again").write(store.path("a.jsonl")),
    );
    expect(store.column("SELECT preview FROM entries")).toEqual(["apples again"]);
  });
});

/** Has to wait for another process, which writes first. */
class SecondIngest extends FileIndexer {
  readonly #first: () => void;

  constructor(store: Store, first: () => void) {
    super(store.index.database, { now: LATER });
    this.#first = first;
  }

  override transaction<T>(work: () => T): T {
    this.#first();
    return super.transaction(work);
  }
}

test.each<[string, (store: Store) => void, SyncOptions]>([
  ["is gone", (store) => rmSync(store.path("a.jsonl")), {}],
  ["is excluded", () => undefined, { isExcluded: () => true }],
])(
  "a file that %s is counted as removed by the process that has removed it only",
  (_what, change, options) => {
    const store = new Store();
    session({ id: "a" }).user("apples").write(store.path("a.jsonl"));
    store.sync();
    change(store);
    const removed: number[] = [];
    const sync = (rest: SyncOptions = {}) => removed.push(store.sync({ ...options, ...rest }).files.removed);
    sync({ indexer: new SecondIngest(store, () => sync()) });
    expect(removed).toEqual([1, 0]);
  },
);
