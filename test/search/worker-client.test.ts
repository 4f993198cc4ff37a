import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { SyncRun } from "../../src/indexing/sync-run.ts";
import type { SearchFeed } from "../../src/search/worker-client.ts";
import { indexIn } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { compiled, printedBy } from "../helpers/scripts.ts";
import { addSegments, countSegments } from "../helpers/segments.ts";
import { session } from "../helpers/session-builder.ts";
import { LATER, Store, storeOf } from "../indexing/store.ts";

const module = join(import.meta.dirname, "../../build/src/search/worker-client.js");

/** The compiled thread: a worker cannot load TypeScript on every Node that is supported. */
async function startFeed(store: Store): Promise<SearchFeed> {
  store.index.search.prepare("SELECT 1").get();
  const compiled = (await import(pathToFileURL(module).href)) as { SearchFeed: typeof SearchFeed };
  return new compiled.SearchFeed(indexIn(store.indexFolder));
}

describe("D23: the thread that fills the full text", () => {
  test("follows the rows until no more will come", async () => {
    const store = storeOf(200);
    const feed = await startFeed(store);
    const run = new SyncRun(store.index, [store.root], { now: LATER });
    while (run.step());
    feed.rowsDone();
    expect(await feed.finished).toMatchObject({ complete: true, behind: 0 });
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("takes in rows before it is told that they are all", async () => {
    const store = storeOf(5);
    const feed = await startFeed(store);
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
    const feed = await startFeed(store);
    feed.rowsDone();
    expect(await feed.finished).toEqual({ complete: true, behind: 0, added: 0, outOfRoom: false });
    store.index.search.exec("ROLLBACK");
    expect(countSegments(store.index)).toBe(5);
  });

  test("says how far it is", async () => {
    const store = storeOf(20);
    store.sync();
    const feed = await startFeed(store);
    const seen: [string, number, number][] = [];
    feed.onProgress(({ phase, done, total }) => seen.push([phase, done, total]));
    feed.rowsDone();
    await feed.finished;
    expect(seen.at(-1)).toEqual(["search", 40, 40]);
  });

  test("a listener that throws stops it, and is what it failed of", async () => {
    const store = storeOf(20);
    store.sync();
    const feed = await startFeed(store);
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
    const feed = await startFeed(store);
    feed.stop();
    const { behind } = await feed.finished;
    const taken = Number(store.index.search.prepare("SELECT count(*) FROM entry_text").pluck().get());
    expect(taken + behind).toBe(40);
    const second = await startFeed(store);
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
    const first = await startFeed(store);
    first.stop();
    const { complete, behind } = await first.finished;
    // It may have taken in some before this thread came to tell it.
    const taken = Number(store.index.search.prepare("SELECT count(*) FROM entry_text").pluck().get());
    expect([taken + behind, complete]).toEqual([25_000, behind === 0]);
    const middle = await startFeed(store);
    middle.onProgress(() => middle.stop());
    await middle.finished;
    store.index.search.exec("BEGIN EXCLUSIVE; ROLLBACK");
    store.index.database.exec("BEGIN EXCLUSIVE; ROLLBACK");
    const last = await startFeed(store);
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
    const feed = await startFeed(store);
    const count = store.index.search.prepare("SELECT count(*) FROM entry_text_docsize").pluck();
    await pollUntil(() => count.get() === 25_000, { what: "all texts" });
    feed.stop();
    expect(await feed.finished).toMatchObject({ behind: 0, added: 25_000 });
  });

  test("leaves both databases to others when it has ended", async () => {
    const store = storeOf(2);
    store.sync();
    const feed = await startFeed(store);
    feed.rowsDone();
    await feed.finished;
    store.index.search.exec("BEGIN EXCLUSIVE; ROLLBACK");
    store.index.database.exec("BEGIN EXCLUSIVE; ROLLBACK");
  });

  test("says with a code and a remedy that an index is from a newer program", async () => {
    const store = storeOf(2);
    store.index.search.pragma("user_version = 999");
    const { finished } = await startFeed(store);
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
    const feed = await startFeed(store);
    feed.rowsDone();
    expect(await feed.finished).toMatchObject({ complete: true, behind: 0 });
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("says why it cannot go on", async () => {
    const store = new Store();
    writeFileSync(indexIn(store.indexFolder).searchPath, "no database\n".repeat(1000));
    store.index.database.prepare("SELECT 1").get();
    const compiled = (await import(pathToFileURL(module).href)) as { SearchFeed: typeof SearchFeed };
    const { finished } = new compiled.SearchFeed(indexIn(store.indexFolder));
    await expect(finished).rejects.toMatchObject({
      code: "index_corrupt",
      message: expect.stringContaining("damaged"),
    });
  });
});
