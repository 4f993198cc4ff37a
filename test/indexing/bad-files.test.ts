import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { SMALL_PREFIX } from "../../src/indexing/change-detection.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { SyncRun } from "../../src/indexing/sync-run.ts";
import { session } from "../helpers/session-builder.ts";
import { LATER, Store } from "./store.ts";

/** A store of three sessions, `b` in the middle. */
function threeSessions(): Store {
  const store = new Store();
  for (const name of ["a", "b", "c"]) {
    session({ id: name })
      .user(`question of ${name}`)
      .assistant()
      .write(store.path(`${name}.jsonl`));
  }
  return store;
}

/** What lies at `b.jsonl` changes between the walk over the roots and the reading. */
function syncWhile(store: Store, happens: () => void): void {
  const run = new SyncRun(store.index, [store.root], { now: LATER });
  run.step();
  happens();
  while (run.step());
}

function sessionsIn(store: Store): unknown[] {
  return store.column("SELECT session_id FROM sessions ORDER BY 1");
}

describe("B12: a file that is something else when it is read", () => {
  const swaps: [string, (path: string) => void][] = [
    ["a folder", (path) => mkdirSync(path)],
    ["nothing", () => undefined],
    ["a FIFO", (path) => execFileSync("mkfifo", [path])],
    ["a link", (path) => symlinkSync("a.jsonl", path)],
    ["a link to nothing", (path) => symlinkSync("nowhere", path)],
    ["another file", (path) => writeFileSync(path, session({ id: "other" }).user("x").bytes())],
  ];

  test.each(swaps)("stops none of the others: %s", (_what, put) => {
    const store = threeSessions();
    syncWhile(store, () => {
      rmSync(store.path("b.jsonl"));
      put(store.path("b.jsonl"));
    });
    expect(sessionsIn(store)).toEqual(expect.arrayContaining(["a", "c"]));
  });

  test.each(swaps)("keeps nothing of itself in the index afterwards: %s", (_what, put) => {
    const store = threeSessions();
    store.sync();
    appendFileSync(store.path("b.jsonl"), "\n");
    syncWhile(store, () => {
      rmSync(store.path("b.jsonl"));
      put(store.path("b.jsonl"));
    });
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

test.each(["new", "known"])("B1: a %s file that is gone when its turn comes is not waited for", (what) => {
  const store = threeSessions();
  if (what === "known") {
    store.sync();
    appendFileSync(store.path("b.jsonl"), "\n");
  }
  const run = new SyncRun(store.index, [store.root], { now: LATER });
  run.step();
  rmSync(store.path("b.jsonl"));
  while (run.step());
  const { complete, behindBytes, troubles } = run.result();
  expect({ complete, behindBytes, troubles, waited: run.restless }).toEqual({
    complete: true,
    behindBytes: 0,
    troubles: [],
    waited: [],
  });
  store.sync();
  expect(sessionsIn(store)).toEqual(["a", "c"]);
});

describe("B15: a file that cannot be read", () => {
  test("stops none of the others and is named", () => {
    const store = threeSessions();
    chmodSync(store.path("b.jsonl"), 0o000);
    const { files, troubles, complete } = store.asNobody(() => store.sync());
    expect([sessionsIn(store), complete, files.failed]).toEqual([["a", "c"], true, 1]);
    expect(troubles).toEqual([{ path: store.path("b.jsonl"), kind: "unreadable", detail: "EACCES" }]);
  });

  test("keeps what the index has of it", () => {
    const store = threeSessions();
    store.sync();
    appendFileSync(store.path("b.jsonl"), "\n");
    chmodSync(store.path("b.jsonl"), 0o000);
    const before = store.column("SELECT key FROM entries");
    store.asNobody(() => store.sync());
    expect([sessionsIn(store), store.column("SELECT key FROM entries")]).toEqual([["a", "b", "c"], before]);
  });

  test("goes on where it was once it can be read", () => {
    const store = threeSessions();
    store.sync();
    appendFileSync(store.path("b.jsonl"), session().user("more").lines()[1] ?? "");
    chmodSync(store.path("b.jsonl"), 0o000);
    store.asNobody(() => store.sync());
    chmodSync(store.path("b.jsonl"), 0o644);
    const { entries, troubles } = store.asNobody(() => store.sync());
    store.asNobody(() => store.feed());
    expect([entries.added, troubles]).toEqual([1, []]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is read from its beginning when it never was before", () => {
    const store = threeSessions();
    chmodSync(store.path("b.jsonl"), 0o000);
    store.asNobody(() => store.sync());
    chmodSync(store.path("b.jsonl"), 0o644);
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("does not keep its text out of search for good", () => {
    const store = threeSessions();
    store.sync();
    chmodSync(store.path("b.jsonl"), 0o000);
    const hidden = store.asNobody(() => store.feed());
    chmodSync(store.path("b.jsonl"), 0o644);
    store.sync();
    store.feed();
    expect(hidden.behind).toBe(2);
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

describe("B15: a folder that cannot be read", () => {
  test("stops none of the others and is named", () => {
    const store = threeSessions();
    mkdirSync(store.path("closed"), { mode: 0o000 });
    const { troubles } = store.asNobody(() => store.sync());
    expect(sessionsIn(store)).toEqual(["a", "b", "c"]);
    expect(troubles).toEqual([{ path: store.path("closed"), kind: "unreadable", detail: "EACCES" }]);
  });

  test("has nothing of it removed from the index", () => {
    const store = threeSessions();
    mkdirSync(store.path("project"));
    renameSync(store.path("b.jsonl"), store.path("project/b.jsonl"));
    store.sync();
    chmodSync(store.path("project"), 0o000);
    const { files } = store.asNobody(() => store.sync());
    expect([files.removed, sessionsIn(store)]).toEqual([0, ["a", "b", "c"]]);
  });
});

describe("D4: a disk that is full", () => {
  const fill = (store: Store) => {
    session({ id: "d" }).user("yes ".repeat(75_000)).write(store.path("d.jsonl"));
    store.index.database.pragma("max_page_count = 1");
  };

  test("is everybody's trouble", () => {
    const store = threeSessions();
    fill(store);
    expect(() => store.sync()).toThrow(expect.objectContaining({ code: "SQLITE_FULL" }));
  });

  test("leaves nothing half done, and the next sync goes on", () => {
    const store = threeSessions();
    fill(store);
    expect(() => store.sync()).toThrow();
    store.close();
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

test("what Node refuses to do with a file is a failure, and is not tried again before the file changes", () => {
  const store = threeSessions();
  const tried: string[] = [];
  const journal = {
    begin(path: string): void {
      tried.push(path);
      if (path === store.path("b.jsonl")) Buffer.alloc(-1);
    },
    end: () => undefined,
  };
  const sync = () => store.sync({ indexer: new FileIndexer(store.index.database, { now: LATER, journal }) });
  const [first, again] = [sync(), sync()];
  expect([first.files.failed, again.files.failed, again.files.unchanged]).toEqual([1, 0, 3]);
  expect(store.column("SELECT status || ' ' || error FROM files WHERE status <> 'session'")).toEqual([
    "failed ERR_OUT_OF_RANGE",
  ]);
  expect(tried.filter((path) => path === store.path("b.jsonl"))).toHaveLength(2);
});

test("E12: what was written anew in a file before it failed is noticed when it grows", () => {
  const store = new Store();
  /** The name stands in the middle: both ends are the same. */
  const sessionOf = (name: string) =>
    session({ id: "a" }).user("x".repeat(5000)).user(name).user("y".repeat(SMALL_PREFIX));
  sessionOf("apple").write(store.path("a.jsonl"));
  store.sync();
  sessionOf("peach").raw("what cannot be read").write(store.path("a.jsonl"));
  new FileIndexer(store.index.database, { now: LATER }).giveUp(
    store.path("a.jsonl"),
    store.path("a.jsonl"),
    "ENDED",
  );
  appendFileSync(store.path("a.jsonl"), `${session().user("more").lines()[1]}\n`);
  store.sync();
  store.feed();
  expect(store.dump()).toEqual(store.rebuilt());
});

test("C11, B23: a file that is not a session is not read again before it changes", () => {
  const store = new Store();
  store.write("notes.jsonl", '{"note":1}\n'.repeat(1000));
  const counts = () => {
    const { unchanged, notSessions } = store.sync().files;
    return { unchanged, notSessions };
  };
  expect([counts(), counts()]).toEqual([
    { unchanged: 0, notSessions: 1 },
    { unchanged: 1, notSessions: 0 },
  ]);
});

test("B15: a file that is not a session is not one again, once it can be read", () => {
  const store = new Store();
  const path = store.write("notes.jsonl", 'no json\n{"note":1}\n');
  store.sync();
  chmodSync(path, 0o000);
  const kinds = [store.asNobody(() => store.sync())];
  chmodSync(path, 0o644);
  kinds.push(store.sync());
  expect(kinds.flatMap(({ troubles }) => troubles.map(({ kind }) => kind))).toEqual([
    "unreadable",
    "not_session",
  ]);
  // Lines that cannot be read are those of sessions.
  expect(store.rows("SELECT malformed_lines, (SELECT count(*) FROM malformed_lines) FROM files")).toEqual([
    [0, 0],
  ]);
});

test("A11: a file that becomes a session is one", () => {
  const store = new Store();
  store.write("a.jsonl", '{"note":1}\n');
  store.sync();
  session({ id: "a" }).user("x").write(store.path("a.jsonl"));
  expect([store.sync().troubles, sessionsIn(store)]).toEqual([[], ["a"]]);
});

test("B2: a session that becomes something else is none", () => {
  const store = threeSessions();
  store.sync();
  store.write("b.jsonl", '{"note":1}\n');
  store.sync();
  store.feed();
  expect(sessionsIn(store)).toEqual(["a", "c"]);
  expect(store.dump()).toEqual(store.rebuilt());
});
