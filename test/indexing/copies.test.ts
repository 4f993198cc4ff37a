import { copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { countFolder } from "../helpers/independent-count.ts";
import { importPeer, isMissing } from "../helpers/peers.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { LATER, Store } from "./store.ts";

/** Counted and inherited requests of each session, by file name. */
function requestsIn(store: Store): Record<string, [counted: number, inherited: number]> {
  const rows = store.rows(`SELECT f.path, s.requests - s.inherited_requests, s.inherited_requests
    FROM sessions s JOIN files f ON f.id = s.file_id`) as [string, number, number][];
  return Object.fromEntries(rows.map(([path, ...counts]) => [path.slice(store.root.length + 1), counts]));
}

function countedRequests(store: Store): unknown {
  return store.column("SELECT count(*) FROM usage WHERE counted = 1")[0];
}

/** Three requests, one of them a tool's. */
function parentSession(): SessionBuilder {
  const parent = session({ id: "parent", timestamp: "2026-01-01T00:00:00.000Z" }).user("a").assistant();
  return parent.toolResult("r", { usage: { input: 5, totalTokens: 5 } }).assistant();
}

/** A parent, its fork and the fork's fork, each with one request of its own. */
function threeGenerations(store: Store): void {
  const parent = parentSession();
  const child = parent.fork({ id: "child" }).assistant();
  const grandchild = child.fork({ id: "grandchild" }).assistant();
  grandchild.write(store.path("a-grandchild.jsonl"));
  child.write(store.path("b-child.jsonl"));
  parent.write(store.path("c-parent.jsonl"));
}

describe("E10, I-7: what a fork copied is counted in the session created first", () => {
  test("through several generations", () => {
    const store = new Store();
    threeGenerations(store);
    store.sync();
    expect(requestsIn(store)).toEqual({
      "c-parent.jsonl": [3, 0],
      "b-child.jsonl": [1, 3],
      "a-grandchild.jsonl": [1, 4],
    });
  });

  const names = ["a-grandchild.jsonl", "b-child.jsonl", "c-parent.jsonl"];
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];

  test.each(orders.map((order) => order.map((place) => names[place] as string)))(
    "in whatever order they arrive: %s, %s, %s",
    (...order) => {
      const store = new Store();
      threeGenerations(store);
      for (const name of names) renameSync(store.path(name), `${store.indexFolder}/${name}`);
      for (const name of order) {
        renameSync(`${store.indexFolder}/${name}`, store.path(name));
        store.sync();
        const { totals, bySession } = countFolder(store.root);
        expect(countedRequests(store)).toBe(totals.requests);
        const own = [...bySession.values()].map((file) => [file.own.requests, file.inherited.requests]);
        expect(Object.values(requestsIn(store)).toSorted()).toEqual(own.toSorted());
      }
      store.feed();
      expect(store.dump()).toEqual(store.rebuilt());
    },
  );

  test.each(names)("and by another one when it is removed: %s", (name) => {
    const store = new Store();
    threeGenerations(store);
    store.sync();
    rmSync(store.path(name));
    store.sync();
    store.feed();
    expect(countedRequests(store)).toBe(countFolder(store.root).totals.requests);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("and by another one when it is rewritten", () => {
    const store = new Store();
    threeGenerations(store);
    store.sync();
    session({ id: "else" }).user("x").write(store.path("c-parent.jsonl"));
    store.sync();
    store.feed();
    expect(requestsIn(store)["b-child.jsonl"]).toEqual([4, 0]);
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

describe("of two sessions created at the same moment", () => {
  test("the one with the smaller path counts", () => {
    const store = new Store();
    for (const name of ["b.jsonl", "a.jsonl"]) parentSession().write(store.path(name));
    store.sync();
    expect(requestsIn(store)).toEqual({ "a.jsonl": [3, 0], "b.jsonl": [0, 3] });
  });

  test("the other one counts when the paths change places", () => {
    const store = new Store();
    for (const name of ["b.jsonl", "m.jsonl"]) parentSession().write(store.path(name));
    store.sync();
    renameSync(store.path("b.jsonl"), store.path("z.jsonl"));
    store.sync();
    store.feed();
    expect(requestsIn(store)).toEqual({ "m.jsonl": [3, 0], "z.jsonl": [0, 3] });
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

describe("a folder of copies, all created at the same moment, some of them with the same bill twice", () => {
  const copiesIn = (store: Store, folder: string): void => {
    mkdirSync(store.path(folder));
    for (let at = 0; at < 8; at++) {
      const copy = parentSession();
      if (at % 3 === 1) copy.raw(copy.lines()[2] ?? "");
      copy.write(store.path(`${folder}/${at}.jsonl`));
    }
  };
  const counting = (store: Store) =>
    Object.entries(requestsIn(store)).flatMap(([name, [counted]]) => (counted > 0 ? [name, counted] : []));

  test.each([
    ["m", "p", "k", "k/0.jsonl"],
    ["p", "z", "k", "k/0.jsonl"],
    ["m", "p", "z", "p/0.jsonl"],
    ["p", "m", "z", "m/0.jsonl"],
    ["m", "a", "z", "a/0.jsonl"],
    ["p", "a", "k", "a/0.jsonl"],
  ])("that is renamed beside another: %s to %s, the other is %s", (from, to, other, first) => {
    const store = new Store();
    copiesIn(store, from);
    copiesIn(store, other);
    store.sync();
    renameSync(store.path(from), store.path(to));
    store.sync();
    store.feed();
    expect(counting(store)).toEqual([first, 3]);
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

test("a copy that is taken in after one whose path came to be a later one goes before that, and not before others", () => {
  const store = new Store();
  for (const folder of ["a", "b"]) mkdirSync(store.path(folder));
  parentSession().write(store.path("a/1.jsonl"));
  parentSession().write(store.path("b/x.jsonl"));
  store.sync();
  parentSession().write(store.path("a/0.jsonl"));
  const link = `${store.root}z`;
  const ingest = new FileIndexer(store.index.database, { now: LATER });
  ingest.batch(() => {
    for (const name of ["1.jsonl", "0.jsonl"]) {
      ingest.step({ path: `${link}/${name}`, realPath: store.path(`a/${name}`) });
    }
  });
  expect(
    store.rows("SELECT f.path, sum(u.counted) FROM usage u JOIN files f ON f.id = u.file_id GROUP BY 1"),
  ).toEqual([
    [store.path("b/x.jsonl"), 3],
    [`${link}/0.jsonl`, 0],
    [`${link}/1.jsonl`, 0],
  ]);
});

test("a session that states no time goes after all that do", () => {
  const store = new Store();
  parentSession().write(store.path("b.jsonl"));
  const undated = session({
    id: "undated",
    header: { timestamp: "sometime" },
    timestamp: "2026-01-01T00:00:00.000Z",
  });
  undated.raw(parentSession().lines()[2] ?? "").write(store.path("a.jsonl"));
  store.sync();
  expect(requestsIn(store)).toEqual({ "a.jsonl": [0, 1], "b.jsonl": [3, 0] });
});

describe("two calls are two", () => {
  const usage = { input: 1, totalTokens: 1 };
  const differing: [string, (one: SessionBuilder) => SessionBuilder][] = [
    [
      "id",
      (one) =>
        one.assistant({ usage }, { id: "x", timestamp: 1 }).assistant({ usage }, { id: "y", timestamp: 1 }),
    ],
    [
      "time",
      (one) =>
        one.assistant({ usage }, { id: "x", timestamp: 1 }).assistant({ usage }, { id: "x", timestamp: 2 }),
    ],
    [
      "model",
      (one) =>
        one
          .assistant({ usage, model: "m" }, { id: "x", timestamp: 1 })
          .assistant({ usage, model: "n" }, { id: "x", timestamp: 1 }),
    ],
    [
      "token count",
      (one) =>
        one
          .assistant({ usage }, { id: "x", timestamp: 1 })
          .assistant({ usage: { input: 2, totalTokens: 1 } }, { id: "x", timestamp: 1 }),
    ],
  ];

  test.each(differing)("when they differ in their %s", (_what, build) => {
    const store = new Store();
    build(session()).write(store.path("a.jsonl"));
    store.sync();
    expect(countedRequests(store)).toBe(2);
  });

  test("not when one entry is written twice into one file", () => {
    const store = new Store();
    const line = parentSession().lines()[2] ?? "";
    session().raw(line).raw(line).write(store.path("a.jsonl"));
    store.sync();
    expect(requestsIn(store)).toEqual({ "a.jsonl": [1, 1] });
  });
});

describe("a session of version 1", () => {
  const old = () => session({ id: "old", version: 1 }).user("a").assistant().user("b").assistant();

  test("counts once with its copy", () => {
    const store = new Store();
    old().write(store.path("a.jsonl"));
    copyFileSync(store.path("a.jsonl"), store.path("b.jsonl"));
    store.sync();
    expect(requestsIn(store)).toEqual({ "a.jsonl": [2, 0], "b.jsonl": [0, 2] });
  });

  test("counts once with a copy whose header lost its version", () => {
    const store = new Store();
    const built = session({ id: "a", timestamp: "2026-01-01T00:00:00.000Z" }).user("a").assistant();
    built.write(store.path("a.jsonl"));
    store.write("b.jsonl", built.bytes().toString().replace('"version":3,', ""));
    store.sync();
    expect(requestsIn(store)).toEqual({ "a.jsonl": [1, 0], "b.jsonl": [0, 1] });
  });

  test("counts each of its calls, though they have no ids", () => {
    const store = new Store();
    const usage = { input: 1, totalTokens: 1 };
    const timestamp = "2026-01-01T00:00:00.000Z";
    session({ version: 1 })
      .assistant({ usage }, { timestamp })
      .assistant({ usage }, { timestamp })
      .write(store.path("a.jsonl"));
    store.sync();
    expect(countedRequests(store)).toBe(2);
  });
});

describe("E10, I-7: whose copy counts", () => {
  test("is told by the path, as SQLite orders it, where sessions were created at the same time", () => {
    const store = new Store();
    const built = session({ id: "one" }).assistant();
    // By UTF-16 units the second would come first.
    for (const name of ["\u{ff5e}.jsonl", "\u{1f600}.jsonl"]) built.write(store.path(name));
    store.sync();
    expect(requestsIn(store)).toEqual({ "\u{ff5e}.jsonl": [1, 0], "\u{1f600}.jsonl": [0, 1] });
  });

  test("is decided again where a copy of the same time is moved, and only there", () => {
    const store = new Store();
    const parent = parentSession();
    parent.write(store.path("b.jsonl"));
    parent.write(store.path("c.jsonl"));
    parent.fork({ id: "fork" }).write(store.path("d.jsonl"));
    store.sync();
    renameSync(store.path("c.jsonl"), store.path("a.jsonl"));
    renameSync(store.path("d.jsonl"), store.path("0.jsonl"));
    store.sync();
    store.feed();
    expect(requestsIn(store)).toEqual({ "a.jsonl": [3, 0], "b.jsonl": [0, 3], "0.jsonl": [0, 3] });
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is passed on from one to the next, in whatever order they go", () => {
    const store = new Store();
    const parent = parentSession();
    for (let at = 0; at < 6; at++) {
      const timestamp = new Date(Date.UTC(2026, 0, 1 + at)).toISOString();
      parent.fork({ id: `fork${at}`, timestamp }).write(store.path(`${at}.jsonl`));
    }
    store.sync();
    for (const gone of [[5, 0], [2], [1, 3]]) {
      for (const at of gone) rmSync(store.path(`${at}.jsonl`));
      store.sync();
      store.feed();
      expect([countedRequests(store), store.dump()]).toEqual([3, store.rebuilt()]);
    }
  });
});

test("what providers and models are called may hold any character", () => {
  const store = new Store();
  const usage = (input: number) => ({ input, totalTokens: input });
  session()
    .assistant({ provider: "a\u0000b", model: "c", usage: usage(1) })
    .assistant({ provider: "a", model: "b\u0000c", usage: usage(2) })
    .write(store.path("a.jsonl"));
  store.sync();
  expect(store.column("SELECT input FROM usage_quarters ORDER BY input")).toEqual([1, 2]);
});

test("FORMAT: an array of version 1 and the file it becomes count once", () => {
  const store = new Store();
  const old = session({ id: "old", version: 1 }).user("a").assistant().user("b").assistant();
  const path = store.write("a.json", JSON.stringify([old.header, ...old.entries]));
  store.sync();
  SessionManager.open(path).appendMessage({ role: "user", content: "c", timestamp: 1 });
  store.sync();
  expect([store.column("SELECT count(*) FROM sessions"), countedRequests(store)]).toEqual([[2], 2]);
});

interface Pi {
  SessionManager: {
    open(path: string): unknown;
    forkFrom(path: string, cwd: string, sessionDir: string): unknown;
  };
}

describe.skipIf(isMissing("piSessionManagerModule"))("A18, I-7: a session of version 1 that pi", () => {
  const spent = (store: Store) =>
    store.rows("SELECT sum(requests), sum(cost), sum(total_tokens) FROM usage_quarters WHERE counted = 1");
  const storeWithOld = () => {
    const store = new Store();
    session({ id: "old", version: 1 })
      .user("a")
      .assistant()
      .user("b")
      .assistant()
      .write(store.path("a.jsonl"));
    store.sync();
    return store;
  };

  test("brings up to date counts no more than before", async () => {
    const { SessionManager } = await importPeer<Pi>("piSessionManagerModule");
    const store = storeWithOld();
    const before = spent(store);
    SessionManager.open(store.path("a.jsonl"));
    store.sync();
    store.feed();
    expect([store.column("SELECT version FROM sessions"), spent(store)]).toEqual([[3], before]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("forks counts no more than before", async () => {
    const { SessionManager } = await importPeer<Pi>("piSessionManagerModule");
    const store = storeWithOld();
    const before = spent(store);
    SessionManager.forkFrom(store.path("a.jsonl"), "/home/ada", store.path("forks"));
    store.sync();
    expect([store.column("SELECT count(*) FROM sessions"), spent(store)]).toEqual([[2], before]);
  });
});
