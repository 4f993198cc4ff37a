import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { SyncRun } from "../../src/indexing/sync-run.ts";
import { needsPurge } from "../../src/search/feed/position.ts";
import type { FullTextThread, SearchFeed } from "../../src/search/worker-client.ts";
import type { IndexLocation } from "../../src/store/location.ts";
import { indexIn } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { compiled, printedBy } from "../helpers/scripts.ts";
import { addSegments, countSegments } from "../helpers/segments.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { LATER, Store, storeOf } from "../indexing/store.ts";

const module = join(import.meta.dirname, "../../build/src/search/worker-client.js");

type Clients = { SearchFeed: typeof SearchFeed; FullTextThread: typeof FullTextThread };

/** The compiled threads: a worker cannot load TypeScript on every Node that is supported. */
const clients = (await import(pathToFileURL(module).href)) as Clients;

function startFeed(store: Store): SearchFeed {
  store.index.search.prepare("SELECT 1").get();
  return new clients.SearchFeed(indexIn(store.indexFolder));
}

/** What fills the full text, whatever its policy. */
interface Filling {
  /** Takes in all there is, and ends. Returns how many entries that were. */
  finish(): Promise<number>;
  /** Ends it where it is. */
  stop(): Promise<void>;
}

type Start = (location: IndexLocation) => Filling;

const toTheEnd: Start = (location) => {
  const feed = new clients.SearchFeed(location);
  return {
    finish: async () => {
      feed.rowsDone();
      const { complete, added } = await feed.finished;
      expect(complete).toBe(true);
      return added;
    },
    stop: async () => {
      feed.stop();
      await feed.finished;
    },
  };
};

const inTheBackground: Start = (location) => {
  const thread = new clients.FullTextThread(location);
  return {
    finish: async () => {
      try {
        for (let added = 0; ; ) {
          const fed = await thread.feed();
          added += fed.added;
          if (fed.complete) return added;
        }
      } finally {
        await thread.close();
      }
    },
    stop: async () => {
      const slice = thread.feed();
      await thread.close();
      await slice;
    },
  };
};

describe.each([
  ["to the end", toTheEnd],
  ["in the background", inTheBackground],
] as const)("the full text, filled %s,", (_name, begin) => {
  const start = (store: Store): Filling => {
    store.index.search.prepare("SELECT 1").get();
    return begin(indexIn(store.indexFolder));
  };
  const texts = (store: Store): number =>
    Number(store.index.search.prepare("SELECT count(*) FROM entry_text_docsize").pluck().get());

  test("has all that the rows have", async () => {
    const store = storeOf(200);
    store.sync();
    expect(await start(store).finish()).toBe(400);
    expect(store.dump()).toEqual(store.rebuilt());
    expect(readdirSync(store.indexFolder)).not.toContain("daemon-feeding");
  });

  test("follows what was added and what was removed", async () => {
    const store = storeOf(20);
    store.sync();
    await start(store).finish();
    for (const name of readdirSync(store.root).slice(0, 5)) rmSync(store.path(name));
    store.write("later.jsonl", session({ id: "later" }).user("The last one.").bytes());
    store.sync();
    expect(await start(store).finish()).toBe(1);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("keeps what was done when it is stopped, and another one does the rest", async () => {
    const store = new Store();
    const built = session({ id: "a" });
    for (let at = 0; at < 10_000; at++) built.user(`word${at % 1000} fooBar${at % 100}`);
    built.write(store.path("a.jsonl"));
    store.sync();
    await start(store).stop();
    const before = texts(store);
    store.index.search.exec("BEGIN EXCLUSIVE; ROLLBACK");
    store.index.database.exec("BEGIN EXCLUSIVE; ROLLBACK");
    expect(await start(store).finish()).toBe(10_000 - before);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is left to others when it has ended", async () => {
    const store = storeOf(2);
    store.sync();
    await start(store).finish();
    store.index.search.exec("BEGIN EXCLUSIVE; ROLLBACK");
    store.index.database.exec("BEGIN EXCLUSIVE; ROLLBACK");
  });

  test("says that it is damaged", async () => {
    const store = new Store();
    writeFileSync(indexIn(store.indexFolder).searchPath, "no database\n".repeat(1000));
    store.index.database.prepare("SELECT 1").get();
    await expect(begin(indexIn(store.indexFolder)).finish()).rejects.toMatchObject({
      code: "index_corrupt",
      message: expect.stringContaining("damaged"),
    });
  });

  test("says that another process is writing it", async () => {
    const store = storeOf(2);
    store.sync();
    store.index.search.exec("BEGIN IMMEDIATE");
    await expect(start(store).finish()).rejects.toMatchObject({ code: "busy" });
    store.index.search.exec("ROLLBACK");
    expect(await start(store).finish()).toBe(4);
  });
});

test("a slice that is asked of a thread that has ended fails, and is not waited for", async () => {
  const fullText = new clients.FullTextThread(indexIn(tempDir()));
  await fullText.close();
  const why = expect.stringMatching(/^the full-text thread /);
  await expect(fullText.feed()).rejects.toMatchObject({ code: "io", message: why });
});

test("in the background it merges and purges, too", async () => {
  const store = new Store();
  addSegments(store.index, store.root, 30);
  const [first] = store.column("SELECT real_path FROM files ORDER BY id LIMIT 1");
  rmSync(String(first));
  store.sync();
  const fullText = new clients.FullTextThread(indexIn(store.indexFolder));
  while (!(await fullText.feed()).complete);
  expect((await fullText.feed()).needsPurge).toBe(true);
  while (!(await fullText.tidy()));
  expect(countSegments(store.index)).toBeLessThanOrEqual(8);
  while ((await fullText.purge()) === "underway");
  await fullText.close();
  expect(needsPurge(store.index)).toBe(false);
});

describe("D23: the thread that fills the full text", () => {
  test("follows the rows until no more will come", async () => {
    const store = storeOf(200);
    const feed = startFeed(store);
    const run = new SyncRun(store.index, [store.root], { now: LATER });
    while (run.step());
    feed.rowsDone();
    expect(await feed.finished).toMatchObject({ complete: true, behind: 0 });
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("takes in rows before it is told that they are all", async () => {
    const store = storeOf(5);
    const feed = startFeed(store);
    store.sync();
    await pollUntil(() => store.index.search.prepare("SELECT 1 FROM entry_text LIMIT 1").get(), {
      what: "a text",
    });
    const before = store.index.search.prepare("SELECT count(*) FROM entry_text").pluck().get();
    store.write("later.jsonl", session({ id: "later" }).user("The last one.").bytes());
    store.sync();
    feed.rowsDone();
    const { added } = await feed.finished;
    expect(store.dump()).toEqual(store.rebuilt());
    expect(added).toBeGreaterThan(Number(before));
  });

  test("leaves the merging to whoever is writing the full text", async () => {
    const store = new Store();
    addSegments(store.index, store.root, 5);
    store.index.search.exec("BEGIN IMMEDIATE");
    const feed = startFeed(store);
    feed.rowsDone();
    expect(await feed.finished).toEqual({ complete: true, behind: 0, added: 0, outOfRoom: false });
    store.index.search.exec("ROLLBACK");
    expect(countSegments(store.index)).toBe(5);
  });

  test("says how far it is", async () => {
    const store = storeOf(20);
    store.sync();
    const feed = startFeed(store);
    const seen: [string, number, number][] = [];
    feed.onProgress(({ phase, done, total }) => seen.push([phase, done, total]));
    feed.rowsDone();
    await feed.finished;
    expect(seen.at(-1)).toEqual(["search", 40, 40]);
  });

  test("a listener that throws stops it, and is what it failed of", async () => {
    const store = storeOf(20);
    store.sync();
    const feed = startFeed(store);
    const mine = new Error("no more");
    feed.onProgress(() => {
      throw mine;
    });
    // Nobody says that no more rows will come.
    await expect(feed.finished).rejects.toBe(mine);
    store.index.search.exec("BEGIN EXCLUSIVE; ROLLBACK");
  });

  test("stops when it is told, and another one goes on", async () => {
    const store = storeOf(20);
    store.sync();
    const feed = startFeed(store);
    feed.stop();
    const { behind } = await feed.finished;
    const taken = Number(store.index.search.prepare("SELECT count(*) FROM entry_text").pluck().get());
    expect(taken + behind).toBe(40);
    const second = startFeed(store);
    second.rowsDone();
    await second.finished;
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("where much is behind, it is stopped as cleanly, and another one goes on", async () => {
    const store = new Store();
    const built = session({ id: "a" });
    for (let at = 0; at < 25_000; at++) built.user(`word${at % 1000} fooBar${at % 100}`);
    built.write(store.path("a.jsonl"));
    store.sync();
    const first = startFeed(store);
    first.stop();
    const { complete, behind } = await first.finished;
    // It may have taken in some before this thread came to tell it.
    const taken = Number(store.index.search.prepare("SELECT count(*) FROM entry_text").pluck().get());
    expect([taken + behind, complete]).toEqual([25_000, behind === 0]);
    const middle = startFeed(store);
    middle.onProgress(() => middle.stop());
    await middle.finished;
    store.index.search.exec("BEGIN EXCLUSIVE; ROLLBACK");
    store.index.database.exec("BEGIN EXCLUSIVE; ROLLBACK");
    const last = startFeed(store);
    last.rowsDone();
    expect(await last.finished).toMatchObject({ complete: true, behind: 0 });
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("where much is behind and no more rows come for a while, it adds what there is", async () => {
    const store = new Store();
    const built = session({ id: "a" });
    for (let at = 0; at < 25_000; at++) built.user(`word${at % 1000}`);
    built.write(store.path("a.jsonl"));
    store.sync();
    const feed = startFeed(store);
    const count = store.index.search.prepare("SELECT count(*) FROM entry_text_docsize").pluck();
    await pollUntil(() => count.get() === 25_000, { what: "all texts" });
    feed.stop();
    expect(await feed.finished).toMatchObject({ behind: 0, added: 25_000 });
  });

  test("says with a code and a remedy that an index is from a newer program", async () => {
    const store = storeOf(2);
    store.index.search.pragma("user_version = 999");
    const { finished } = startFeed(store);
    await expect(finished).rejects.toMatchObject({
      code: "index_newer",
      hint: expect.stringContaining("Update pi-sessiondb"),
    });
  });

  test("fails in peace while nobody waits for it yet, and tells who does later", async () => {
    const { indexFolder } = storeOf(2);
    const location = indexIn(indexFolder);
    writeFileSync(location.searchPath, "no database\n".repeat(1000));
    // The process has nothing left to do once the thread has ended.
    const script = `import { SearchFeed } from ${compiled("src/index.js")};
      const feed = new SearchFeed(${JSON.stringify(location)});
      process.once("beforeExit", async () => {
        const { code } = await feed.finished.catch((error) => error);
        console.log(JSON.stringify({ code }));
      });`;
    expect(await printedBy(script)).toEqual({ code: "index_corrupt" });
  });

  test("has failed where the thread dies, and another one does all of it", async () => {
    const store = storeOf(2);
    store.sync();
    const script = `import { SearchFeed } from ${compiled("src/index.js")};
      const feed = new SearchFeed(${JSON.stringify(indexIn(store.indexFolder))});
      feed.rowsDone();
      const { code, message } = await feed.finished.catch((error) => error);
      console.log(JSON.stringify({ code, message }));`;
    const dies = `import { isMainThread } from "node:worker_threads"; if (!isMainThread) process.exit(7);`;
    const options = ["--import", `data:text/javascript,${encodeURIComponent(dies)}`];
    const message = "the full-text thread ended unexpectedly";
    expect(await printedBy(script, options)).toEqual({ code: "io", message });
    const feed = startFeed(store);
    feed.rowsDone();
    expect(await feed.finished).toMatchObject({ complete: true, behind: 0 });
    expect(store.dump()).toEqual(store.rebuilt());
  });
});
