import { appendFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { LONGEST_LINE } from "../../../src/files/lines.ts";
import { FileIndexer } from "../../../src/indexing/index-file.ts";
import { removeFiles } from "../../../src/indexing/remove-files.ts";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import type { TextSink } from "../../../src/indexing/text-sink.ts";
import { feedSearch } from "../../../src/search/feed/feeder.ts";
import { NO_MERGE } from "../../../src/search/feed/merge.ts";
import { searchEntries } from "../../../src/search/search.ts";
import type { SearchFeed } from "../../../src/search/worker-client.ts";
import { type Index, openIndex } from "../../../src/store/open.ts";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { LATER, Store, storeOf, syncFile } from "../../indexing/store.ts";

/*
 * The full text comes to the same whether it is handed the texts of rows as they are written, or reads them again; whatever
 * happens between the rows and their texts.
 */

/** A store whose rows are written with the texts handed over, or left to be read again. */
interface Way {
  store: Store;
  /** Null where nothing is handed over. */
  texts: TextSink | null;
  /** The thread goes no further until `goOn`. */
  hold(): void;
  goOn(): void;
  /** Ends the thread where it is, and begins another. */
  restart(): Promise<void>;
}

const module = join(import.meta.dirname, "../../../build/src/search/worker-client.js");

async function startFeed(store: Store): Promise<SearchFeed> {
  store.index.search.prepare("SELECT 1").get();
  const compiled = (await import(pathToFileURL(module).href)) as { SearchFeed: typeof SearchFeed };
  return new compiled.SearchFeed(indexIn(store.indexFolder));
}

/** What the full text came to, where `work` has written rows. */
async function cameTo(store: Store, isHanded: boolean, work: (way: Way) => Promise<void> | void) {
  let feed = await startFeed(store);
  const handed = () => (isHanded ? feed.texts(store.index) : null);
  const way: Way = {
    store,
    texts: handed(),
    hold: () => store.index.search.exec("BEGIN IMMEDIATE"),
    goOn: () => store.index.search.exec("ROLLBACK"),
    restart: async () => {
      feed.stop();
      await feed.finished;
      feed = await startFeed(store);
      way.texts = handed();
    },
  };
  await work(way);
  feed.rowsDone();
  const { complete, behind } = await feed.finished;
  const watermark = "SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'watermark'";
  const isAtEnd =
    store.index.search.prepare(watermark).pluck().get() === store.column("SELECT max(key) FROM entries")[0];
  return { complete, behind, isAtEnd, dump: store.dump() };
}

function write(store: Store, name: string, ...texts: string[]): string {
  const built = session({ id: name });
  for (const text of texts)
    built.user(text).assistant({ text: `${name}: sessionManager 天气 ${text}`, thinking: "hm" });
  built.write(store.path(`${name}.jsonl`));
  return store.path(`${name}.jsonl`);
}

function sync({ store, texts }: Way): void {
  syncAll(store.index, [store.root], { now: LATER, ...(texts && { texts }) });
}

/** Each as it is on the disk, in a transaction of its own. */
function syncFiles({ store, texts }: Pick<Way, "store" | "texts">, ...paths: string[]): void {
  const ingest = new FileIndexer(store.index.database, { now: LATER, texts });
  for (const path of paths) syncFile(ingest, path);
}

/** The texts, while something else is done as soon as the first is there. */
function meanwhile(texts: TextSink | null, work: () => void): TextSink {
  let isFirst = true;
  return {
    add(row, some) {
      if (isFirst) work();
      isFirst = false;
      texts?.add(row, some);
    },
    committed: () => texts?.committed(),
    dropped: () => texts?.dropped(),
  };
}

const EPISODES: Record<string, (way: Way) => Promise<void> | void> = {
  "many sessions": (way) => {
    for (let at = 0; at < 30; at++) write(way.store, `s${at}`, `question ${at}`, "parseHTTPResponse");
    sync(way);
  },
  "more at the end of a session": (way) => {
    const path = write(way.store, "a", "apple");
    sync(way);
    appendFileSync(path, `${session({ id: "m" }).user("medlar").lines()[1]}\n`);
    sync(way);
  },
  "a file that is rewritten while it is read, so that its rows are undone": (way) => {
    const path = write(way.store, "a", "apple", "pear");
    write(way.store, "b", "plum");
    syncFiles(
      { ...way, texts: meanwhile(way.texts, () => write(way.store, "a", "quince")) },
      path,
      way.store.path("b.jsonl"),
    );
    sync(way);
  },
  "an end between the rows and their texts": async (way) => {
    way.hold();
    write(way.store, "a", "apple");
    sync(way);
    setTimeout(way.goOn, 50);
    await way.restart();
    write(way.store, "b", "pear");
    sync(way);
  },
  "rows of another process in between": (way) => {
    way.hold();
    const [a, b, c] = ["a", "b", "c"].map((name) => write(way.store, name, name)) as [string, string, string];
    syncFiles(way, a);
    const other = openIndex(indexIn(way.store.indexFolder));
    syncFile(new FileIndexer(other.database, { now: LATER }), b);
    other.close();
    syncFiles(way, c);
    way.goOn();
  },
  "entries that are removed before their texts are taken in": (way) => {
    way.hold();
    const [a, b] = [write(way.store, "a", "apple"), write(way.store, "b", "pear")];
    syncFiles(way, a, b);
    rmSync(a);
    removeFiles(way.store.index, [a]);
    syncFiles(way, write(way.store, "c", "plum"));
    way.goOn();
  },
  "a rebuild in between": (way) => {
    write(way.store, "a", "apple");
    sync(way);
    way.hold();
    syncAll(way.store.index, [way.store.root], {
      now: LATER,
      rebuild: true,
      ...(way.texts && { texts: way.texts }),
    });
    way.goOn();
  },
  "sessions that are one JSON array": (way) => {
    const lines = session({ id: "array" }).user("apple sessionManager").assistant({ text: "pear" }).lines();
    way.store.write("array.json", `[${lines.join(",\n")}]`);
    sync(way);
  },
  "version 1, and a line that was left unfinished": (way) => {
    const lines = [
      {
        type: "session",
        id: "v1",
        timestamp: "2026-01-01T00:00:00.000Z",
        cwd: "/work",
        provider: "p",
        modelId: "m",
      },
      {
        type: "message",
        timestamp: "2026-01-01T00:00:01.000Z",
        message: { role: "user", content: "apple fooBar" },
      },
      {
        type: "message",
        timestamp: "2026-01-01T00:00:02.000Z",
        message: { role: "hookMessage", content: "pear" },
      },
    ].map((line) => JSON.stringify(line));
    way.store.write("v1.jsonl", lines.join("\n"));
    sync(way);
    way.store.write("v1.jsonl", `${lines.join("\n")}\n${lines[1]}\n`);
    sync(way);
  },
  "invalid bytes, odd lines, and nested calls": (way) => {
    const path = write(way.store, "a", "apple");
    appendFileSync(
      path,
      Buffer.from(
        '{"type":"message","id":"x","parentId":null,"message":{"role":"user","content":"b\xffd"}}\n',
        "latin1",
      ),
    );
    appendFileSync(
      path,
      '  { "type" :\t"message", "id":"y", "message":{"role":"user","content":"half \\ud83c of one"}}\nnone\n',
    );
    const nestedCalls = [{ id: "n", name: "read", arguments: { path: "nestedFile.ts" } }];
    const message = {
      role: "toolResult",
      toolCallId: "c",
      toolName: "eval",
      content: [{ type: "text", text: "one" }],
      nestedCalls,
    };
    appendFileSync(path, `${JSON.stringify({ type: "message", id: "z", parentId: null, message })}\n`);
    sync(way);
  },
  "a line too long to be decoded": (way) => {
    const path = write(way.store, "a", "apple");
    appendFileSync(path, '{"type":"message","id":"l","parentId":null,"message":{"role":"user","content":"');
    // Without being written, it is full of zeros.
    truncateSync(path, statSync(path).size + LONGEST_LINE);
    appendFileSync(path, `"}}\n${session({ id: "b" }).user("after it").lines()[1]}\n`);
    sync(way);
  },
  "texts that no block has room for": (way) => {
    const long = `long${"\u2026".repeat(700_000)}`;
    session({ id: "a" })
      .user("before")
      .user([1, 2, 3].map((part) => ({ type: "text" as const, text: `${part} ${long}` })))
      .user("after")
      .write(way.store.path("a.jsonl"));
    sync(way);
  },
};

describe.each(Object.entries(EPISODES))("after %s", (_what, work) => {
  test.each([
    ["handed over", true],
    ["read again", false],
  ])("the full text is what the files say, its texts %s", async (_way, isHanded) => {
    const store = new Store();
    const { dump, ...end } = await cameTo(store, isHanded, work);
    expect(end).toEqual({ complete: true, behind: 0, isAtEnd: true });
    expect(dump).toEqual(store.rebuilt());
    store.index.search.exec("INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 0)");
  });
});

test("what is handed over is not read again", async () => {
  const store = storeOf(40);
  // Whoever would read them again would find nothing.
  const emptied = (texts: TextSink): TextSink => ({
    ...meanwhile(texts, () => undefined),
    committed: () => {
      for (let at = 0; at < 40; at++) writeFileSync(store.path(`${at}.jsonl`), "");
      texts.committed();
    },
  });
  const { complete, behind } = await cameTo(store, true, ({ texts }) => {
    if (texts !== null) syncAll(store.index, [store.root], { now: LATER, texts: emptied(texts) });
  });
  expect([complete, behind]).toEqual([true, 0]);
  expect(store.index.search.prepare("SELECT count(*) FROM entry_text").pluck().get()).toBe(80);
});

test("two first syncs of the same files order hits alike", async () => {
  const store = new Store();
  for (let at = 0; at < 60; at++)
    write(store, `s${at}`, "apple ".repeat(1 + (at % 4)) + "pear ".repeat(at % 3));
  await cameTo(store, true, sync);
  const order = (index: Index) =>
    searchEntries(index, "apple pear", { limit: 0, now: Date.parse("2027-01-01") }).hits.map(
      ({ session: { id }, line }) => [id, line],
    );
  const again = withIndex(tempDir(), (index) => {
    syncAll(index, [store.root], { now: LATER });
    // Into other segments, so that scores are added up in another order.
    for (let upTo = 1; upTo <= 300; upTo += 7) feedSearch(index, { upTo, merge: NO_MERGE });
    return order(index);
  });
  expect(again).toEqual(order(store.index));
  expect(again).toHaveLength(80);
});
