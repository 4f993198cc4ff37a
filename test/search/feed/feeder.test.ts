import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { STEP_BYTES } from "../../../src/files/lines.ts";
import { LONGEST_TEXT } from "../../../src/format/content.ts";
import { FileIndexer } from "../../../src/indexing/index-file.ts";
import { removeFiles } from "../../../src/indexing/remove-files.ts";
import { feedSearch, SearchFeeder } from "../../../src/search/feed/feeder.ts";
import { NO_MERGE } from "../../../src/search/feed/merge.ts";
import { SearchState } from "../../../src/search/feed/position.ts";
import { purge } from "../../../src/search/purge.ts";
import { searchEntries } from "../../../src/search/search.ts";
import { openIndex } from "../../../src/store/open.ts";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { session } from "../../helpers/session-builder.ts";
import { Store, syncFile } from "../../indexing/store.ts";

function storeWithTwo(): Store {
  const store = new Store();
  session({ id: "a" }).user("apple pear").assistant({ text: "plum" }).write(store.path("a.jsonl"));
  session({ id: "b" }).user("apple quince").write(store.path("b.jsonl"));
  store.sync();
  return store;
}

/** Ids of the sessions with a hit. */
function found(store: Store, query: string): string[] {
  return searchEntries(store.index, query)
    .hits.map((hit) => hit.session.id)
    .toSorted();
}

function metaOf(store: Store, name: string): number {
  const value = store.index.search.prepare("SELECT value FROM meta WHERE name = ?").pluck().get(name);
  return Number(value);
}

function integrityOf(store: Store): unknown {
  store.index.search.exec("INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 0)");
  return store.index.search.pragma("quick_check", { simple: true });
}

/** How many segments each entry of a session leaves on its way, when every one is fed by itself and nothing tidies up. */
function segmentsOnTheWay(entries: number): number[] {
  const store = new Store();
  const built = session({ id: "a" });
  const count = () =>
    Number(store.index.search.prepare("SELECT count(DISTINCT segid) FROM entry_text_idx").pluck().get());
  return Array.from({ length: entries }, (_, at) => {
    built.user(`word${at}`).write(store.path("a.jsonl"));
    store.sync();
    feedSearch(store.index, { merge: NO_MERGE });
    return count();
  });
}

describe("the full text", () => {
  test("of base64 in lines is little larger than the base64", () => {
    const store = new Store();
    const digests = Array.from({ length: 30_000 }, (_, at) => createHash("sha256").update(`${at}`).digest());
    const lines =
      Buffer.concat(digests)
        .toString("base64")
        .match(/.{1,76}/g) ?? [];
    const built = session({ id: "a" });
    for (let at = 0; at < lines.length; at += 400) built.user(lines.slice(at, at + 400).join("\n"));
    const bytes = built.bytes().length;
    store.write("a.jsonl", built.bytes());
    store.sync();
    feedSearch(store.index);
    const pages = Number(store.index.search.pragma("page_count", { simple: true }));
    const pageBytes = Number(store.index.search.pragma("page_size", { simple: true }));
    expect(pages * pageBytes).toBeLessThan(1.4 * bytes);
    expect(found(store, lines[500]?.match(/[A-Za-z0-9]{9,}/)?.[0] ?? "")).toEqual(["a"]);
  });

  test("has the texts of lines longer than a step of reading, each its own", () => {
    const store = new Store();
    const around = (first: string, second: string, bytes: number) => [
      { type: "text" as const, text: first },
      { type: "image" as const, data: "A".repeat(bytes), mimeType: "image/png" },
      { type: "text" as const, text: second },
    ];
    session({ id: "a" })
      .user(around("apple", "pear", STEP_BYTES + 200_000))
      .user("plum")
      .user(around("apple", "quince", STEP_BYTES + 100_000))
      .user(`fig ${"word ".repeat(LONGEST_TEXT / 5)} medlar`)
      .write(store.path("a.jsonl"));
    store.sync();
    feedSearch(store.index);
    const linesWith = (query: string) =>
      searchEntries(store.index, query, { sort: "oldest" }).hits.map(({ line }) => line);
    const queries = ["apple", "pear", "plum", "quince", "fig", "medlar"];
    expect(queries.map(linesWith)).toEqual([[2, 4], [2], [3], [4], [5], []]);
  });

  test("is merged in steps before FTS5 would do it all at once", () => {
    const segments = segmentsOnTheWay(240);
    expect(Math.max(...segments)).toBe(100);
    expect(Math.min(...segments.slice(100))).toBeLessThan(5);
  });

  test("D2: told to stop in the middle of a batch, it keeps what is done of it and goes on there", () => {
    const store = new Store();
    for (const id of ["a", "b", "c"])
      session({ id })
        .user(id)
        .write(store.path(`${id}.jsonl`));
    store.sync();
    let looks = 0;
    const signal = {
      get aborted() {
        return ++looks > 2;
      },
    };
    expect(feedSearch(store.index, { signal })).toEqual({ complete: false, behind: 1, added: 2 });
    expect(feedSearch(store.index)).toEqual({ complete: true, behind: 0, added: 1 });
  });

  test("D2: many entries that are gone are taken out some at a time, wherever it is told to stop", () => {
    const store = new Store();
    const built = session({ id: "a" });
    for (let at = 0; at < 1200; at++) built.user("apple");
    built.write(store.path("a.jsonl"));
    session({ id: "b" }).user("apple").write(store.path("b.jsonl"));
    store.sync();
    store.feed();
    rmSync(store.path("a.jsonl"));
    store.sync();
    const left = () => store.index.search.prepare("SELECT count(*) FROM entry_text").pluck().get();
    let looks = 0;
    const signal = {
      get aborted() {
        return ++looks > 3;
      },
    };
    feedSearch(store.index, { signal });
    expect(left()).toBe(1201 - 2 * 250);
    feedSearch(store.index, { signal: { aborted: true } });
    expect(left()).toBe(1201 - 2 * 250);
    store.feed();
    expect([left(), found(store, "apple"), integrityOf(store)]).toEqual([1, ["b"], "ok"]);
  });

  test("D2: much that was missed is tried again a batch at a time, wherever it is told to stop", () => {
    const store = new Store();
    mkdirSync(store.path("folder"));
    const built = session({ id: "a" });
    for (let at = 0; at < 5000; at++) built.user("apple");
    built.write(store.path("folder/a.jsonl"));
    store.sync();
    const feeder = new SearchFeeder(store.index);
    const oneBatch = () => {
      const stop = new AbortController();
      return feeder.run({ signal: stop.signal, onProgress: () => stop.abort() });
    };
    const batches = () => {
      const results = [oneBatch()];
      while (results.at(-1)?.complete === false && results.length < 20) results.push(oneBatch());
      return results.map(({ added }) => added);
    };
    renameSync(store.path("folder"), store.path("away"));
    const whileAway = batches();
    renameSync(store.path("away"), store.path("folder"));
    expect([whileAway, batches()]).toEqual([
      [0, 0, 0, 0, 0],
      [4000, 1000, 0],
    ]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("keeps the last entry there is when all before it are gone", () => {
    const store = new Store();
    for (const id of ["a", "b"]) {
      session({ id })
        .user("apple")
        .write(store.path(`${id}.jsonl`));
      store.sync();
    }
    store.feed();
    rmSync(store.path("a.jsonl"));
    store.sync();
    store.feed();
    expect([found(store, "apple"), store.dump()]).toEqual([["b"], store.rebuilt()]);
  });

  test("says how much it is behind the rows, and then takes it in", () => {
    const store = storeWithTwo();
    const before = feedSearch(store.index, { deadlineMs: 0 });
    expect([before, store.feed()]).toEqual([
      { complete: false, behind: 3, added: 0 },
      { complete: true, behind: 0, added: 3 },
    ]);
  });

  test("follows up to the last key", () => {
    const store = storeWithTwo();
    store.feed();
    expect(metaOf(store, "watermark")).toBe(store.column("SELECT max(key) FROM entries")[0]);
  });

  test("takes in what was appended only", () => {
    const store = storeWithTwo();
    store.feed();
    appendFileSync(store.path("b.jsonl"), `${session({ id: "m" }).user("medlar").lines()[1]}\n`);
    store.sync();
    expect([store.feed().added, found(store, "medlar")]).toEqual([1, ["b"]]);
  });

  test("told to stop before it has tried again what was missed, it keeps it for the next time", () => {
    const store = storeWithTwo();
    for (const id of ["a", "b"])
      session({ id })
        .user("of another length")
        .write(store.path(`${id}.jsonl`));
    const read: string[] = [];
    const journal = { begin: (path: string) => read.push(path), end: () => undefined };
    const feeder = new SearchFeeder(store.index, { journal });
    feeder.run({ retryMissed: false });
    const missed = () => store.index.search.prepare("SELECT * FROM missed_keys").all();
    const before = { read: read.length, missed: missed() };
    // It looks before the batch, and then before the first run of keys.
    const looks = [false];
    feeder.run({
      signal: {
        get aborted() {
          return looks.shift() ?? true;
        },
      },
    });
    expect({ read: read.length, missed: missed() }).toEqual(before);
  });

  test("gets on slice by slice, although what cannot be read takes a whole slice each time it is tried", () => {
    const store = storeWithTwo();
    session({ id: "a" }).user("other words, of another length").write(store.path("a.jsonl"));
    const feeder = new SearchFeeder(store.index);
    const oneBatch = () => {
      const stop = new AbortController();
      return feeder.run({ signal: stop.signal, onProgress: () => stop.abort() });
    };
    oneBatch();
    session({ id: "c" }).user("medlar").write(store.path("c.jsonl"));
    const path = store.path("c.jsonl");
    syncFile(new FileIndexer(store.index.database), path);
    const slices = Array.from({ length: 4 }, oneBatch);
    expect([slices.some(({ complete }) => complete), found(store, "medlar")]).toEqual([true, ["c"]]);
  });

  test("forgets what was removed", () => {
    const store = storeWithTwo();
    store.feed();
    rmSync(store.path("a.jsonl"));
    store.sync();
    store.feed();
    expect([found(store, "apple"), store.dump()]).toEqual([["b"], store.rebuilt()]);
  });

  test("never takes in what was removed before it came to it", () => {
    const store = storeWithTwo();
    rmSync(store.path("a.jsonl"));
    store.sync();
    expect([store.feed().added, found(store, "apple")]).toEqual([1, ["b"]]);
  });

  test("shows no hit whose entry is gone, even before it has followed", () => {
    const store = storeWithTwo();
    store.feed();
    rmSync(store.path("a.jsonl"));
    store.sync();
    expect([found(store, "apple"), found(store, "pear")]).toEqual([["b"], []]);
  });

  test("comes to the same when everything was removed and came again", () => {
    const store = storeWithTwo();
    store.feed();
    store.sync({ rebuild: true });
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is sound after additions, removals and merges", () => {
    const store = storeWithTwo();
    for (let round = 0; round < 5; round++) {
      session({ id: `r${round}` })
        .user(`round ${round} apple`)
        .write(store.path("a.jsonl"));
      store.sync();
      store.feed();
    }
    expect([integrityOf(store), found(store, "apple")]).toEqual(["ok", ["b", "r4"]]);
  });

  test("holds no text of its own", () => {
    const store = new Store();
    session().user("the quick unmistakable sentence").write(store.path("a.jsonl"));
    store.sync();
    store.feed();
    const { searchPath } = store.index.location;
    const bytes = readFileSync(searchPath, "latin1") + readFileSync(`${searchPath}-wal`, "latin1");
    expect(bytes).not.toContain("quick unmistakable");
  });
});

describe("a full text that is lost", () => {
  test("is made again from the files, and nothing else is", () => {
    const store = storeWithTwo();
    store.feed();
    store.close();
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(indexIn(store.indexFolder).searchPath + suffix, { force: true });
    expect(store.sync().bytesRead).toBe(0);
    expect([store.feed().added, store.dump()]).toEqual([3, store.rebuilt()]);
  });

  test("while it is lost, everything is said to be behind", () => {
    const store = storeWithTwo();
    store.feed();
    store.close();
    rmSync(indexIn(store.indexFolder).searchPath);
    expect(feedSearch(store.index, { deadlineMs: 0 }).behind).toBe(3);
  });
});

test("a full text that followed another index begins anew", () => {
  const [store, other] = [storeWithTwo(), storeWithTwo()];
  session({ id: "c" }).user("cherry").write(other.path("c.jsonl"));
  for (const each of [store, other]) {
    each.sync();
    each.feed();
    each.close();
  }
  const [from, to] = [indexIn(other.indexFolder), indexIn(store.indexFolder)];
  renameSync(from.searchPath, to.searchPath);
  store.feed();
  expect([found(store, "cherry"), store.dump()]).toEqual([[], store.rebuilt()]);
});

test("a full text that followed another index keeps nothing of what it knew of that one's entries", () => {
  const [store, other, fresh] = [storeWithTwo(), storeWithTwo(), storeWithTwo()];
  session({ id: "c", timestamp: "2020-01-01T00:00:00.000Z" })
    .user("cherryOrchard")
    .write(other.path("c.jsonl"));
  other.sync();
  // Its text is missed, and waited for.
  rmSync(other.path("a.jsonl"));
  other.feed();
  removeFiles(other.index, [other.path("b.jsonl")]);
  other.feed();
  purge(other.index);
  for (const each of [store, other, fresh]) {
    each.feed();
    each.close();
  }
  renameSync(indexIn(other.indexFolder).searchPath, indexIn(store.indexFolder).searchPath);
  expect(feedSearch(store.index)).toMatchObject({ complete: true, added: 3 });
  expect(feedSearch(store.index).added).toBe(0);
  const known = ({ index }: Store) =>
    ["missed_keys", "key_blocks", "meta WHERE name LIKE '%_seq'"].map((table) =>
      index.search.prepare(`SELECT * FROM ${table}`).all(),
    );
  expect([known(store), integrityOf(store)]).toEqual([known(fresh), "ok"]);
  expect(store.dump()).toEqual(store.rebuilt());
});

test("a full text waits for nothing that it has missed once everything was removed", () => {
  const store = storeWithTwo();
  for (const name of ["a.jsonl", "b.jsonl"]) rmSync(store.path(name));
  const behind = [store.feed().behind];
  store.sync();
  behind.push(store.feed({ retryMissed: false }).behind);
  expect(behind).toEqual([3, 0]);
});

test("the full text is behind by the entries that are there, of another index's by all of them", () => {
  const [store, other] = [storeWithTwo(), storeWithTwo()];
  const behind = () => new SearchState(store.index).behind();
  expect(behind()).toBe(3);
  removeFiles(store.index, [store.path("b.jsonl")]);
  expect(behind()).toBe(2);
  for (const each of [store, other]) each.feed();
  expect(behind()).toBe(0);
  for (const each of [store, other]) each.close();
  renameSync(indexIn(other.indexFolder).searchPath, indexIn(store.indexFolder).searchPath);
  expect(behind()).toBe(2);
});

test("an index made anew is followed from its beginning, though the old full text is there", () => {
  const store = storeWithTwo();
  store.feed();
  store.close();
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(indexIn(store.indexFolder).indexPath + suffix, { force: true });
  store.sync();
  store.feed();
  expect(store.dump()).toEqual(store.rebuilt());
});

describe("a file that changed between rows and full text", () => {
  const changes: [string, (store: Store) => void][] = [
    ["was rewritten", (store) => session({ id: "n" }).user("new").write(store.path("a.jsonl"))],
    ["was cut", (store) => store.write("a.jsonl", readFileSync(store.path("a.jsonl")).subarray(0, 200))],
    ["was removed", (store) => rmSync(store.path("a.jsonl"))],
    ["was moved", (store) => renameSync(store.path("a.jsonl"), store.path("z.jsonl"))],
    ["grew", (store) => appendFileSync(store.path("a.jsonl"), `${session().user("more").lines()[1]}\n`)],
    [
      "has another word of the same length",
      (store) =>
        writeFileSync(
          store.path("a.jsonl"),
          readFileSync(store.path("a.jsonl"), "utf8").replace("pear", "figs"),
        ),
    ],
  ];

  test.each(changes)("is searchable as it is now, once both have followed: it %s", (_what, change) => {
    const store = storeWithTwo();
    change(store);
    store.feed();
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test.each(changes)("and is put back as it was is searchable as it is: it %s", (_what, change) => {
    const store = storeWithTwo();
    const before = readFileSync(store.path("a.jsonl"));
    change(store);
    store.feed();
    rmSync(store.path("z.jsonl"), { force: true });
    store.write("a.jsonl", before);
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("never stops the others", () => {
    const store = storeWithTwo();
    rmSync(store.path("a.jsonl"));
    store.feed();
    expect(found(store, "apple")).toEqual(["b"]);
  });
});

test("two feeds that take turns come to what one comes to", () => {
  const store = storeWithTwo();
  withIndex(store.indexFolder, (other) => {
    feedSearch(other, { deadlineMs: Number.POSITIVE_INFINITY });
    appendFileSync(store.path("b.jsonl"), `${session({ id: "m" }).user("medlar").lines()[1]}\n`);
    store.sync();
    store.feed();
    feedSearch(other);
  });
  expect(store.dump()).toEqual(store.rebuilt());
});

test("a feed while another one is writing is busy", () => {
  const store = storeWithTwo();
  const other = openIndex(indexIn(store.indexFolder), { busyTimeoutMs: 1 });
  store.index.search.exec("BEGIN IMMEDIATE");
  try {
    expect(() => feedSearch(other)).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }));
  } finally {
    store.index.search.exec("ROLLBACK");
    other.close();
  }
});
