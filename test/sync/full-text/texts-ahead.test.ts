import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Index, openIndex } from "../../../src/db/open.ts";
import { feedSearch, SearchFeeder } from "../../../src/sync/full-text/search-feed.ts";
import {
  lastKeyOf,
  ROOM_BYTES,
  type TextsAhead,
  TextsReader,
} from "../../../src/sync/full-text/texts-ahead.ts";
import type { TextsThread } from "../../../src/sync/full-text/texts-thread.ts";
import { syncAll } from "../../../src/sync/sync-all.ts";
import { indexIn } from "../../helpers/open-index.ts";
import { session } from "../../helpers/session-builder.ts";
import { LATER, Store } from "../store.ts";

/** A batch as the other thread would read it. */
function textsAfter(index: Index, key: number, roomBytes = ROOM_BYTES): TextsAhead {
  const utf8 = new SharedArrayBuffer(roomBytes);
  return { ...new TextsReader(index.database).after(key, utf8), utf8 };
}

/** Fills the full text from what is read ahead, and by itself only what that cannot. */
function feedAhead(index: Index, roomBytes = ROOM_BYTES): number {
  const feeder = new SearchFeeder(index);
  let batches = 0;
  while (feeder.addAhead(textsAfter(index, feeder.reach.watermark, roomBytes))) batches++;
  feeder.run();
  return batches;
}

/** Sessions are read in this order: the newest first. */
function storeOf(...texts: string[]): Store {
  const store = new Store();
  const now = Date.now() / 1000;
  texts.forEach((text, at) => {
    const path = session({ id: `s${at}` })
      .user(text)
      .assistant({ text: `answer ${at}` })
      .write(store.path(`${at}.jsonl`));
    utimesSync(path, now, now - at);
  });
  store.sync();
  return store;
}

/** The tables of the full text, word by word. */
function contentOf({ search }: Index): unknown {
  search.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, entry_text, instance)");
  const tables = ["temp.words", "compound_names", "key_blocks", "missed_keys", "entry_text_docsize"];
  return tables.map((table) => search.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).raw().all());
}

describe("texts that were read ahead", () => {
  test("fill the full text as it is filled without", () => {
    const character = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constantFrom(..."aB9 \n\0é天ｱ👍\u0301\ue000\ufeff", "\ud800", "\udc00", "fooBar", "parseHTTP"),
    );
    const text = fc.array(character, { maxLength: 30 }).map((characters) => characters.join(""));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
        const store = storeOf(...texts);
        feedAhead(store.index);
        const location = { ...store.index.location, searchPath: join(store.indexFolder, "alone.db") };
        const alone = openIndex(location);
        feedSearch(alone);
        expect(contentOf(store.index)).toEqual(contentOf(alone));
        for (const each of [store, alone]) each.close();
      }),
      { numRuns: 25, examples: [[["\u0301", "fooBar"]], [["\ud800 \udc00", "\0"]]] },
    );
  });

  test("are read batch after batch", () => {
    const store = new Store();
    const built = session({ id: "a" });
    for (let at = 0; at < 9000; at++) built.user(`word${at} fooBar${at % 7}`);
    built.write(store.path("a.jsonl"));
    store.sync();
    expect(feedAhead(store.index)).toBe(3);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("end where their room does; what is larger is read by whoever adds it", () => {
    const store = storeOf("short", "x ".repeat(300), "y ".repeat(600), "short again");
    const { ends } = textsAfter(store.index, 0, 700);
    expect([...ends]).toEqual([5, 13, 613, 621]);
    feedAhead(store.index, 700);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("A29: end before a long line, which is left to whoever adds it", () => {
    const store = storeOf("before", "z".repeat(5_000_000), "after");
    const texts = textsAfter(store.index, 0);
    const lengths = store.column("SELECT length FROM entries ORDER BY key").map(Number);
    expect(texts.ends.length).toBe(lengths.findIndex((length) => length > 4_000_000));
    feedAhead(store.index);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("end before a file that is gone, and go on after it when it has been missed", () => {
    const store = storeOf("apple", "pear", "plum");
    rmSync(store.path("1.jsonl"));
    const feeder = new SearchFeeder(store.index);
    feeder.addAhead(textsAfter(store.index, 0));
    expect([feeder.reach.watermark, textsAfter(store.index, 2).ends.length]).toEqual([2, 0]);
    feedAhead(store.index);
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

describe("texts that were read ahead of a change", () => {
  const changes: [string, (store: Store) => void][] = [
    ["a file was removed", (store) => rmSync(store.path("0.jsonl"))],
    ["a file was rewritten", (store) => session({ id: "n" }).user("new").write(store.path("0.jsonl"))],
    [
      "a file has another word of the same length",
      (store) =>
        writeFileSync(
          store.path("0.jsonl"),
          readFileSync(store.path("0.jsonl"), "utf8").replace("pear", "figs"),
        ),
    ],
  ];

  test.each(changes)("are not added when the rows have followed: %s", (_what, change) => {
    const store = storeOf("pear", "plum");
    const texts = textsAfter(store.index, 0);
    change(store);
    store.sync();
    const feeder = new SearchFeeder(store.index);
    expect([feeder.addAhead(texts), feeder.addAhead(texts)]).toEqual([false, false]);
    feeder.run();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test.each(changes)("are forgotten when the rows follow: %s", (_what, change) => {
    const store = storeOf("pear", "plum");
    const texts = textsAfter(store.index, 0);
    change(store);
    expect(new SearchFeeder(store.index).addAhead(texts)).toBe(true);
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("are not added twice, nor after another feed has been there", () => {
    const store = storeOf("pear", "plum");
    const texts = textsAfter(store.index, 0);
    feedSearch(store.index);
    expect(new SearchFeeder(store.index).addAhead(texts)).toBe(false);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("have their names written again after a transaction that was undone", () => {
    const store = storeOf("fooBar");
    const feeder = new SearchFeeder(store.index);
    const texts = textsAfter(store.index, 0);
    store.index.search.exec(`CREATE TEMP TRIGGER no_name BEFORE INSERT ON main.compound_names
      BEGIN SELECT RAISE(ABORT, 'no'); END`);
    expect(() => feeder.addAhead(texts)).toThrow("no");
    store.index.search.exec("DROP TRIGGER no_name");
    expect(feeder.addAhead(texts)).toBe(true);
    expect(store.index.search.prepare("SELECT part FROM compound_names").pluck().all()).toEqual([
      "bar",
      "foo",
    ]);
  });
});

describe("the thread that reads ahead", () => {
  const file = join(import.meta.dirname, "../../../dist/src/sync/full-text/texts-thread.js");

  /** The compiled thread: a worker cannot load TypeScript on every Node that is supported. */
  async function startThread(store: Store): Promise<TextsThread> {
    const compiled = (await import(pathToFileURL(file).href)) as { TextsThread: typeof TextsThread };
    const thread = new compiled.TextsThread(indexIn(store.indexFolder));
    onTestFinished(() => thread.close());
    return thread;
  }

  test("gives batch after batch, and nothing after the last", async () => {
    const store = storeOf("apple", "pear");
    const feeder = new SearchFeeder(store.index);
    const thread = await startThread(store);
    const texts = await thread.after(0);
    expect(texts && lastKeyOf(texts)).toBe(4);
    expect(texts && feeder.addAhead(texts)).toBe(true);
    expect(await thread.after(4)).toBeNull();
    feeder.run();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("gives what is asked for, also when it was about to give something else", async () => {
    const store = storeOf("apple", "pear", "plum");
    const thread = await startThread(store);
    await thread.after(0);
    const texts = await thread.after(2);
    expect([texts?.places[0], texts && Buffer.from(texts.utf8).toString("utf8", 0, 4)]).toEqual([3, "pear"]);
  });

  test("gives nothing when it cannot read the index", async () => {
    const thread = await startThread(new Store());
    expect([await thread.after(0), await thread.after(0)]).toEqual([null, null]);
  });

  test("gives nothing any more after it has died", async () => {
    const store = storeOf("apple");
    const thread = await startThread(store);
    expect(await thread.after(0)).not.toBeNull();
    store.index.database.exec("DROP VIEW entries");
    expect([await thread.after(1), await thread.after(1)]).toEqual([null, null]);
  });

  test("leaves the index to others when it has ended", async () => {
    const store = storeOf("apple");
    const thread = await startThread(store);
    await thread.after(0);
    await thread.close();
    store.index.database.exec("BEGIN EXCLUSIVE; ROLLBACK");
  });
});

test("what syncAll wrote meanwhile is read in its turn", () => {
  const store = storeOf("apple");
  const texts = textsAfter(store.index, 0);
  session({ id: "late" }).user("medlar").write(store.path("late.jsonl"));
  syncAll(store.index, [store.root], { now: LATER });
  expect(new SearchFeeder(store.index).addAhead(texts)).toBe(true);
  feedAhead(store.index);
  expect(store.dump()).toEqual(store.rebuilt());
});
