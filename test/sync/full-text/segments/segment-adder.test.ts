import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openShadow } from "../../../../src/db/open-shadow.ts";
import { searchEntries } from "../../../../src/query/search/search.ts";
import { beginNamesAnew } from "../../../../src/store/databases.ts";
import { openIndex } from "../../../../src/store/open.ts";
import { forgetFiles } from "../../../../src/sync/forget.ts";
import { feedSearch, SearchFeeder } from "../../../../src/sync/full-text/search-feed.ts";
import { EVERYTHING, mergeSegments, rewriteSegments } from "../../../../src/sync/full-text/search-merge.ts";
import { Unfinished } from "../../../../src/sync/full-text/segments/add-segment.ts";
import { SegmentAdder } from "../../../../src/sync/full-text/segments/segment-adder.ts";
import { purge } from "../../../../src/sync/purge.ts";
import { syncAll } from "../../../../src/sync/sync-all.ts";
import { fc } from "../../../helpers/drawn.ts";
import { runs } from "../../../helpers/fuzz.ts";
import { countSegments } from "../../../helpers/segments.ts";
import { session } from "../../../helpers/session-builder.ts";
import { LATER, type Store } from "../../store.ts";
import { addRuns, contentOf, feedBuilt, integrityOf, runsBehind, runsOf, storeOf } from "./building.ts";

describe("texts that were built as a segment", () => {
  test("fill the full text as it is filled by insertion", () => {
    const character = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constantFrom(..."aB9 \n\0é天ｱ👍\u0301\ue000\ufeff", "\ud800", "\udc00", "fooBar", "parseHTTP"),
    );
    const text = fc.array(character, { maxLength: 30 }).map((characters) => characters.join(""));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.integer({ min: 1, max: 9 }), (texts, most) => {
        const store = storeOf(...texts);
        if (texts.length > 0) expect(feedBuilt(store.index, most)).toBe(true);
        const location = { ...store.index.location, searchPath: join(store.indexFolder, "alone.db") };
        const alone = openIndex(location);
        feedSearch(alone);
        expect(contentOf(store.index)).toEqual(contentOf(alone));
        for (const each of [store, alone]) each.close();
      }),
      {
        numRuns: runs(25),
        examples: [
          [["\u0301", "fooBar"], 2],
          [["\ud800 \udc00", "\0"], 1],
        ],
      },
    );
  });

  test("are found, merged, deleted and added to by FTS5 as if it had written them", () => {
    const store = storeOf("apple pear", "apple quince", "medlar", "fooBar apple");
    feedBuilt(store.index, 3);
    const found = (query: string) =>
      searchEntries(store.index, query)
        .hits.map(({ session: { id } }) => id)
        .toSorted();
    expect([found("apple"), found("bar"), found("answ*").length]).toEqual([["s0", "s1", "s3"], ["s3"], 4]);
    expect(integrityOf(store.index)).toBe("ok");
    rmSync(store.path("1.jsonl"));
    session({ id: "later" }).user("apple later").write(store.path("later.jsonl"));
    store.sync();
    store.feed();
    expect([found("apple"), found("quince"), integrityOf(store.index)]).toEqual([
      ["later", "s0", "s3"],
      [],
      "ok",
    ]);
    expect(store.dump()).toEqual(store.rebuilt());
    while (!rewriteSegments(store.index.search, () => false));
    expect([countSegments(store.index), integrityOf(store.index)]).toEqual([1, "ok"]);
    expect(store.dump()).toEqual(store.rebuilt());
    expect(
      store.index.search.prepare("SELECT count(*) FROM entry_text_data WHERE id >> 53 = 1").pluck().get(),
    ).toBe(0);
  });

  test("of several segments are merged with what FTS5 has written, whatever of them is gone", () => {
    const texts = Array.from({ length: 60 }, (_, at) => `word${at} word${at % 7} ${"often ".repeat(at)}`);
    const store = storeOf(...texts);
    const feeder = new SearchFeeder(store.index);
    feeder.forgetGone();
    for (let after = 0; after < 100; after += 20) {
      expect(addRuns(store.index, runsOf(store.index, { after, upTo: after + 20 }, 7))).toBe(true);
    }
    forgetFiles(store.index, [store.path("3.jsonl"), store.path("17.jsonl"), store.path("59.jsonl")]);
    feeder.run();
    expect(integrityOf(store.index)).toBe("ok");
    expect(mergeSegments(store.index.search, EVERYTHING)).toBe(true);
    expect([countSegments(store.index), integrityOf(store.index)]).toEqual([1, "ok"]);
    store.index.search.exec("INSERT INTO entry_text (entry_text) VALUES ('optimize')");
    for (const name of ["3", "17", "59"]) rmSync(store.path(`${name}.jsonl`));
    expect([integrityOf(store.index), store.dump()]).toEqual(["ok", store.rebuilt()]);
  });

  test("leave no trace once their entries are gone", () => {
    const store = storeOf("unmistakable", "apple");
    feedBuilt(store.index);
    forgetFiles(store.index, [store.path("0.jsonl")]);
    store.feed();
    expect(purge(store.index)).toBe(true);
    store.close();
    expect(readFileSync(store.index.location.searchPath, "latin1")).not.toContain("unmistakable");
  });

  test("count as added, with the times of their blocks and their names", () => {
    const store = storeOf("fooBar");
    feedBuilt(store.index);
    const alone = storeOf("fooBar");
    alone.feed();
    const times = ({ index }: Store) => index.search.prepare("SELECT * FROM key_blocks").all();
    expect(times(store)).toEqual(times(alone));
    expect(store.index.search.prepare("SELECT part FROM compound_names").pluck().all()).toEqual([
      "bar",
      "foo",
    ]);
  });
});

describe("texts that were built before a change", () => {
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
    const feeder = new SearchFeeder(store.index);
    feeder.forgetGone();
    const runs = runsBehind(store.index);
    change(store);
    store.sync();
    expect(addRuns(store.index, runs)).toBe(false);
    feeder.forgetGone();
    expect(addRuns(store.index, runs)).toBe(false);
    feeder.run();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test.each(changes)("are forgotten when the rows follow: %s", (_what, change) => {
    const store = storeOf("pear", "plum");
    new SearchFeeder(store.index).forgetGone();
    const runs = runsBehind(store.index);
    change(store);
    expect(addRuns(store.index, runs)).toBe(true);
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("are not added while a removal has still to be carried out", () => {
    const store = storeOf("pear", "plum", "apple");
    store.feed({ merge: { pages: 64, steps: 0 } });
    session({ id: "later" }).user("later").write(store.path("later.jsonl"));
    rmSync(store.path("1.jsonl"));
    store.sync();
    const runs = runsBehind(store.index);
    expect(addRuns(store.index, runs)).toBe(false);
    new SearchFeeder(store.index).forgetGone();
    expect(addRuns(store.index, runs)).toBe(true);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("are not added twice, nor after another feed has been there, nor before what is missing in between", () => {
    const store = storeOf("pear", "plum");
    const runs = runsBehind(store.index, 2);
    expect(addRuns(store.index, runs)).toBe(false);
    new SearchFeeder(store.index).forgetGone();
    expect(addRuns(store.index, runs.slice(1))).toBe(false);
    feedSearch(store.index);
    expect([addRuns(store.index, runs), addRuns(store.index, runs)]).toEqual([false, false]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("are not added to the full text of another index", () => {
    const [store, other] = [storeOf("pear", "plum"), storeOf("pear", "plum")];
    for (const each of [store, other]) new SearchFeeder(each.index).forgetGone();
    const runs = runsBehind(store.index);
    const search = other.index.location.searchPath;
    const mixed = openIndex({ indexPath: store.index.location.indexPath, searchPath: search });
    expect(addRuns(mixed, runs)).toBe(false);
    mixed.close();
  });

  test("are not added where others have come to stand at the same keys", () => {
    const [store, other] = [storeOf("pear", "plum"), storeOf("pears", "plum")];
    for (const each of [store, other]) new SearchFeeder(each.index).forgetGone();
    expect(addRuns(other.index, runsBehind(store.index))).toBe(false);
  });

  test("are not added where names that came with earlier ones were deleted", () => {
    const store = storeOf("fooBar", "fooBar");
    const { index } = store;
    new SearchFeeder(index).forgetGone();
    const runs = runsBehind(index, 2);
    const shadow = openShadow(index.location, { busyTimeoutMs: 250, cacheKiB: 2048 });
    const adder = new SegmentAdder(index, shadow);
    expect(adder.add(runs.slice(0, 1), () => true)).toBe(true);
    index.search.exec("DELETE FROM compound_names");
    beginNamesAnew(index.search);
    expect(adder.add(runs.slice(1), () => true)).toBe(false);
    shadow.close();
    expect(addRuns(index, runsBehind(index))).toBe(true);
    expect(searchEntries(index, "bar").hits).toHaveLength(2);
  });

  test("are followed by what syncAll wrote meanwhile", () => {
    const store = storeOf("apple");
    new SearchFeeder(store.index).forgetGone();
    const runs = runsBehind(store.index);
    session({ id: "late" }).user("medlar").write(store.path("late.jsonl"));
    syncAll(store.index, [store.root], { now: LATER });
    expect([addRuns(store.index, runs), feedBuilt(store.index)]).toEqual([true, true]);
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

describe("a segment that is being added", () => {
  test("is taken back wherever it is told to stop, and is added the next time", () => {
    const store = storeOf("apple pear plum", "medlar quince fooBar");
    new SearchFeeder(store.index).forgetGone();
    const runs = runsBehind(store.index, 1);
    const before = contentOf(store.index);
    for (let words = 0; words < 5; words++) {
      let asked = 0;
      expect(() => addRuns(store.index, runs, () => asked++ < words)).toThrow(Unfinished);
      expect(contentOf(store.index)).toEqual(before);
    }
    expect([addRuns(store.index, runs), integrityOf(store.index)]).toEqual([true, "ok"]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("is undone with its names, which are written when it is added again", () => {
    const store = storeOf("fooBar");
    new SearchFeeder(store.index).forgetGone();
    const runs = runsBehind(store.index);
    const { search } = store.index;
    search.exec("CREATE TABLE unwanted (name TEXT) STRICT; DROP TABLE compound_names");
    expect(() => addRuns(store.index, runs)).toThrow("compound_names");
    search.exec(`CREATE TABLE compound_names (
      part TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (part, name)) STRICT, WITHOUT ROWID`);
    expect(addRuns(store.index, runs)).toBe(true);
    expect(search.prepare("SELECT part FROM compound_names").pluck().all()).toEqual(["bar", "foo"]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("waits for nobody longer than it is told to", () => {
    const store = storeOf("apple");
    new SearchFeeder(store.index).forgetGone();
    const runs = runsBehind(store.index);
    store.index.search.exec("BEGIN IMMEDIATE");
    expect(() => addRuns(store.index, runs)).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }));
    store.index.search.exec("ROLLBACK");
  });
});
