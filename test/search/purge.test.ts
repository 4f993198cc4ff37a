import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { needsPurge } from "../../src/search/feed/position.ts";
import { Purge, purge } from "../../src/search/purge.ts";
import { searchEntries } from "../../src/search/search.ts";
import { BUSY_TIMEOUT_MS } from "../../src/store/connection.ts";
import { openIndex } from "../../src/store/open.ts";
import { deletionEpoch } from "../../src/store/statements.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { Store } from "../indexing/store.ts";

/** Words that stand in one session only, as the full text keeps them. */
const NEEDLES =
  `zwetschge quarkstrudel zwetschgequarkstrudel marillenknödel birnbaumig hollerkoch apfelmus mirabelle
    reineclaude 驫 ヷ`.split(/\s+/);

function storeWithNeedles(): Store {
  const store = new Store();
  for (let n = 0; n < 20; n++) {
    session({ id: `s${n}` })
      .user(`apple pear${n} sessionManager`)
      .write(store.path(`s${n}.jsonl`));
  }
  const secret = session({ id: "secret" }).user("zwetschge zwetschgeQuarkstrudel marillenKnödel 驫 ヷ");
  const target = secret.lastId ?? "";
  secret
    .assistant({
      text: "birnbaumig",
      thinking: "hollerkoch",
      toolCalls: [{ name: "read", arguments: { path: "/apfelmus" } }],
    })
    .toolResult("mirabelle")
    .label(target, "reineclaude")
    .name("zwetschge reineclaude")
    .write(store.path("secret.jsonl"));
  store.sync();
  store.feed();
  return store;
}

/** The needles that stand in the bytes of the databases and their logs, or among the words of the full text. */
function tracesOf(store: Store): string[] {
  const files = readdirSync(store.indexFolder).map((name) => readFileSync(join(store.indexFolder, name)));
  const bytes = Buffer.concat(files).toString("utf8").toLowerCase();
  const { search } = store.index;
  search.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'entry_text', 'instance')",
  );
  const words = new Set(search.prepare("SELECT DISTINCT term FROM temp.vocabulary").pluck().all());
  const folded = (needle: string) => needle.replace("ö", "o");
  return NEEDLES.filter((needle) => bytes.includes(needle) || words.has(folded(needle)));
}

describe("F12, I-14: after a purge", () => {
  test("the words of a deleted file are in no database or log", () => {
    const store = storeWithNeedles();
    const before = tracesOf(store);
    rmSync(store.path("secret.jsonl"));
    store.sync();
    store.feed();
    const between = tracesOf(store);
    expect(purge(store.index)).toBe(true);
    expect([before, between.length > 3, tracesOf(store)]).toEqual([NEEDLES, true, []]);
  });

  test("the words of a line that was written anew are gone too", () => {
    const store = storeWithNeedles();
    writeFileSync(store.path("secret.jsonl"), session({ id: "secret" }).user("nothing").bytes());
    store.sync();
    expect([purge(store.index), tracesOf(store)]).toEqual([true, []]);
  });

  test("what is still there is found as before", () => {
    const store = storeWithNeedles();
    rmSync(store.path("secret.jsonl"));
    store.sync();
    purge(store.index);
    const counts = ["apple", "manager", "sess*", "zwetschge", "quarkstrudel"].map(
      (word) => searchEntries(store.index, word).total,
    );
    expect([counts, store.dump()]).toEqual([[20, 20, 20, 0, 0], store.rebuilt()]);
  });

  test("a damaged index that was put aside is gone", () => {
    const store = storeWithNeedles();
    const { indexPath, searchPath } = indexIn(store.indexFolder);
    const aside = [indexPath, `${indexPath}-wal`, searchPath].map((path) =>
      path.replace(/\.db/, ".db.damaged"),
    );
    for (const path of aside) writeFileSync(path, "birnbaumig");
    rmSync(store.path("secret.jsonl"));
    store.sync();
    expect(tracesOf(store)).toContain("birnbaumig");
    expect([purge(store.index), tracesOf(store)]).toEqual([true, []]);
    expect(aside.filter((path) => existsSync(path))).toEqual([]);
  });

  test("a folder that is named like one is still there", () => {
    const store = storeWithNeedles();
    const { indexPath, searchPath } = indexIn(store.indexFolder);
    const folders = [`${indexPath}.damaged`, `${searchPath}.damaged-wal`];
    for (const path of folders) mkdirSync(path);
    rmSync(store.path("secret.jsonl"));
    store.sync();
    expect([purge(store.index), folders.every((path) => existsSync(path))]).toEqual([true, true]);
  });

  test("there is nothing to purge until something is removed", () => {
    const store = storeWithNeedles();
    const states = [needsPurge(store.index)];
    rmSync(store.path("secret.jsonl"));
    store.sync();
    states.push(needsPurge(store.index));
    purge(store.index);
    states.push(needsPurge(store.index));
    appendFileSync(store.path("s1.jsonl"), `${session({ id: "m" }).user("medlar").lines()[1]}\n`);
    store.sync();
    store.feed();
    states.push(needsPurge(store.index));
    expect(states).toEqual([false, true, false, false]);
  });

  test("what was not yet searchable becomes so", () => {
    const store = storeWithNeedles();
    session({ id: "late" }).user("medlar").write(store.path("late.jsonl"));
    rmSync(store.path("secret.jsonl"));
    store.sync();
    purge(store.index);
    store.feed();
    expect([searchEntries(store.index, "medlar").total, store.dump()]).toEqual([1, store.rebuilt()]);
  });
});

describe("F12: a purge", () => {
  test("whose time is up goes on when it is called again", () => {
    const store = storeWithNeedles();
    rmSync(store.path("secret.jsonl"));
    store.sync();
    let calls = 1;
    while (!purge(store.index, { deadlineMs: 0 })) calls++;
    expect([calls > 1, needsPurge(store.index), tracesOf(store)]).toEqual([true, false, []]);
  });

  test("tells how far it is, step by step", () => {
    const store = storeWithNeedles();
    rmSync(store.path("secret.jsonl"));
    store.sync();
    const work = new Purge(store.index);
    const [states, shares] = [[work.step({ deadlineMs: 0 })], [work.progress.done]];
    while (states.at(-1) !== "done") {
      states.push(work.step({ deadlineMs: 0 }));
      shares.push(work.progress.done);
    }
    expect(states).toEqual([...states.slice(0, -1).fill("underway"), "done"]);
    expect(states.length).toBeGreaterThan(1);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeGreaterThan(0);
    expect(work.progress.done).toBeLessThanOrEqual(work.progress.total);
  });

  test("says that somebody reads, which keeps what is gone in the log", () => {
    const store = storeWithNeedles();
    const reader = openIndex(indexIn(store.indexFolder), { readonly: true });
    onTestFinished(() => reader.close());
    const rows = reader.database.prepare("SELECT key FROM entries").iterate();
    rows.next();
    rmSync(store.path("secret.jsonl"));
    store.sync();
    const work = new Purge(store.index);
    const states = [work.step({}), work.step({})];
    rows.return?.();
    expect([...states, work.step({})]).toEqual(["in_use", "in_use", "done"]);
  });

  test("whose time is up gives back pages as long as there are any", () => {
    const store = storeWithNeedles();
    rmSync(store.path("secret.jsonl"));
    store.sync();
    store.index.database.exec("CREATE TABLE t AS SELECT zeroblob(20000000); DROP TABLE t");
    const freePages = () => Number(store.index.database.pragma("freelist_count", { simple: true }));
    const left = [freePages()];
    for (let isDone = false; !isDone && left.length < 50; ) {
      isDone = purge(store.index, { deadlineMs: 0 });
      left.push(freePages());
    }
    expect([left.at(-1), new Set(left).size > 2]).toEqual([0, true]);
  });

  test("whose time is up before it has begun to rewrite is not taken for one that is done", () => {
    const store = storeWithNeedles();
    for (const name of readdirSync(store.root)) rmSync(store.path(name));
    store.sync({ rebuild: true });
    expect(purge(store.index, { deadlineMs: 0 })).toBe(false);
    while (!purge(store.index, { deadlineMs: 0 }));
    expect([needsPurge(store.index), tracesOf(store)]).toEqual([false, []]);
    const path = session({ id: "next" }).user("zwetschge").write(store.path("next.jsonl"));
    store.sync();
    rmSync(path);
    store.sync();
    expect(needsPurge(store.index)).toBe(true);
  });

  test("takes many entries out some at a time, so that no writer of the full text has to wait for long", () => {
    const store = storeWithNeedles();
    const built = session({ id: "many" });
    for (let at = 0; at < 1500; at++) built.user("plum");
    built.write(store.path("many.jsonl"));
    store.sync();
    store.feed();
    rmSync(store.path("many.jsonl"));
    store.sync();
    expect(purge(store.index, { deadlineMs: 0 })).toBe(false);
    const left = store.index.search.prepare("SELECT count(*) FROM entry_text WHERE entry_text MATCH 'plum'");
    expect(left.pluck().get()).toBe(500);
  });

  test.each(["database", "search"] as const)(
    "is not complete while another process reads the %s",
    (which) => {
      const store = storeWithNeedles();
      const reader = openIndex(indexIn(store.indexFolder), { readonly: true });
      reader[which].exec("BEGIN");
      reader[which].prepare("SELECT count(*) FROM meta").get();
      rmSync(store.path("secret.jsonl"));
      store.sync();
      const first = purge(store.index);
      reader.close();
      expect([first, purge(store.index), tracesOf(store)]).toEqual([false, true, []]);
    },
  );

  test.each(["database", "search"] as const)(
    "D5: does again nothing but empty the log while another process reads the %s",
    (which) => {
      const store = storeWithNeedles();
      const reader = openIndex(indexIn(store.indexFolder), { readonly: true });
      reader[which].exec("BEGIN");
      reader[which].prepare("SELECT count(*) FROM meta").get();
      rmSync(store.path("secret.jsonl"));
      store.sync();
      const states = [new Purge(store.index).step({})];
      // What another look at all entries would take away.
      store.index.database.exec("INSERT INTO entry_kinds (type, is_error, has_image) VALUES ('gone', 0, 0)");
      const looked = () =>
        store.index.database.prepare("SELECT count(*) FROM entry_kinds WHERE type = 'gone'").pluck().get();
      store.close();
      states.push(new Purge(store.index).step({ deadlineMs: 0 }));
      const patience = [store.index.database, store.index.search].map((each) =>
        each.pragma("busy_timeout", { simple: true }),
      );
      expect(patience).toEqual([BUSY_TIMEOUT_MS, BUSY_TIMEOUT_MS]);
      reader.close();
      states.push(new Purge(store.index).step({}));
      expect([states, looked(), tracesOf(store)]).toEqual([["in_use", "in_use", "done"], 1, []]);
      rmSync(store.path("s1.jsonl"));
      store.sync();
      expect([purge(store.index), looked()]).toEqual([true, 0]);
    },
  );

  test("gives back the room that what is gone has taken", () => {
    const store = storeWithNeedles();
    const big = session({ id: "big" });
    for (let n = 0; n < 200; n++) big.user(`word${n} ${`plum${n} `.repeat(200)}`);
    big.write(store.path("big.jsonl"));
    store.sync();
    store.feed();
    rmSync(store.path("big.jsonl"));
    store.sync();
    purge(store.index);
    const { database, search } = store.index;
    const free = [database, search].map((each) => each.pragma("freelist_count", { simple: true }));
    expect(free).toEqual([0, 0]);
  });

  test("is not complete while another process reads what was there before", () => {
    const store = storeWithNeedles();
    const reader = openIndex(indexIn(store.indexFolder), { readonly: true });
    reader.reader.exec("BEGIN");
    reader.reader.prepare("SELECT count(*) FROM entries, search.meta").get();
    rmSync(store.path("secret.jsonl"));
    store.sync();
    const first = purge(store.index);
    reader.close();
    expect([first, needsPurge(store.index), purge(store.index), tracesOf(store)]).toEqual([
      false,
      true,
      true,
      [],
    ]);
  });

  test("of a full text that followed another index begins it anew", () => {
    const store = storeWithNeedles();
    store.close();
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(indexIn(store.indexFolder).indexPath + suffix, { force: true });
    rmSync(store.path("secret.jsonl"));
    store.sync();
    expect([needsPurge(store.index), purge(store.index), tracesOf(store)]).toEqual([true, true, []]);
  });

  test("is due of an index made anew, though one with more removals was purged before", () => {
    const store = storeWithNeedles();
    for (const name of ["s0.jsonl", "s1.jsonl"]) {
      rmSync(store.path(name));
      store.sync();
    }
    expect([purge(store.index), needsPurge(store.index)]).toEqual([true, false]);
    store.close();
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(indexIn(store.indexFolder).indexPath + suffix, { force: true });
    store.sync();
    store.feed();
    rmSync(store.path("secret.jsonl"));
    store.sync();
    store.feed();
    expect([needsPurge(store.index), purge(store.index), tracesOf(store)]).toEqual([true, true, []]);
  });
});

describe("lots of keys", () => {
  const lots = (store: Store) => store.column("SELECT first_key FROM key_lots");

  test("are one for each transaction that hands out keys, and none for others", () => {
    const store = storeWithNeedles();
    const before = lots(store).length;
    store.sync();
    rmSync(store.path("s1.jsonl"));
    store.sync();
    expect(lots(store).length).toBe(before);
    for (const name of ["a", "b"])
      session({ id: name })
        .user("sloe")
        .write(store.path(`${name}.jsonl`));
    store.sync();
    expect(lots(store).length).toBe(before + 1);
  });

  test("are not kept once the full text has left them behind", () => {
    const store = storeWithNeedles();
    for (const name of ["a", "b", "c"]) {
      session({ id: name })
        .user("sloe")
        .write(store.path(`${name}.jsonl`));
      store.sync();
    }
    const last = lots(store).at(-1);
    store.feed();
    session({ id: "d" }).user("medlar").write(store.path("d.jsonl"));
    store.sync();
    rmSync(store.path("a.jsonl"));
    store.sync();
    purge(store.index);
    // The full text has not followed to the last one yet.
    expect(lots(store)).toEqual([last, expect.any(Number)]);
    expect(store.feed().added).toBe(1);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("make a purge due when they have become very many", () => {
    const store = storeWithNeedles();
    purge(store.index);
    expect(needsPurge(store.index)).toBe(false);
    store.index.database.exec(`WITH RECURSIVE older (key) AS (VALUES (-1) UNION ALL SELECT key - 1 FROM older LIMIT 11000)
      INSERT INTO key_lots SELECT key, random() FROM older`);
    expect([needsPurge(store.index), purge(store.index)]).toEqual([true, true]);
    expect([needsPurge(store.index), lots(store).length, store.feed().added]).toEqual([false, 1, 0]);
  });
});

describe("removals that were purged", () => {
  const removals = (store: Store) => store.column("SELECT seq FROM removed_keys");
  const remove = (store: Store, ...names: string[]) => {
    for (const name of names) {
      rmSync(store.path(name));
      store.sync();
    }
  };

  /** Its last entry is that of a session of its own. */
  const storeWithNewest = () => {
    const store = storeWithNeedles();
    session({ id: "newest" }).user("sloe").write(store.path("newest.jsonl"));
    store.sync();
    store.feed();
    return store;
  };

  test("are not kept, but for the last one, from which their numbers go on", () => {
    const store = storeWithNeedles();
    const built = session({ id: "array" });
    for (let round = 0; round < 5; round++) {
      built.user(`round ${round}`).write(store.path("array.json"));
      store.sync();
    }
    remove(store, "s1.jsonl", "s2.jsonl");
    const before = removals(store);
    expect([before, purge(store.index), removals(store)]).toEqual([[1, 2, 3, 4, 5, 6], true, [6]]);
    const mark = deletionEpoch(store.index.database);
    remove(store, "s3.jsonl");
    expect([removals(store), deletionEpoch(store.index.database) === mark]).toEqual([[6, 7], false]);
    expect([purge(store.index), removals(store)]).toEqual([true, [7]]);
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("are not needed to tell what has become of the last entry that was taken in", () => {
    const store = storeWithNewest();
    remove(store, "newest.jsonl", "s1.jsonl", "secret.jsonl");
    expect([purge(store.index), removals(store), store.feed().added]).toEqual([true, [3], 0]);
    session({ id: "late" }).user("medlar").write(store.path("t.jsonl"));
    store.sync();
    expect(store.feed().added).toBe(1);
    remove(store, "s3.jsonl");
    expect([purge(store.index), removals(store)]).toEqual([true, [4]]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("are not needed by a full text that is made anew", () => {
    const store = storeWithNeedles();
    remove(store, "s1.jsonl", "s2.jsonl");
    purge(store.index);
    store.close();
    for (const suffix of ["", "-wal", "-shm"])
      rmSync(indexIn(store.indexFolder).searchPath + suffix, { force: true });
    store.feed({ deadlineMs: 0 });
    expect([store.feed().complete, store.feed().added]).toEqual([true, 0]);
    remove(store, "secret.jsonl");
    store.feed();
    expect([purge(store.index), tracesOf(store), store.dump()]).toEqual([true, [], store.rebuilt()]);
  });

  test("are missed by a full text that was put back, which begins anew", () => {
    const store = storeWithNewest();
    store.close();
    const { searchPath } = indexIn(store.indexFolder);
    const copy = readFileSync(searchPath);
    remove(store, "newest.jsonl", "secret.jsonl", "s1.jsonl");
    expect([purge(store.index), removals(store)]).toEqual([true, [3]]);
    store.close();
    writeFileSync(searchPath, copy);
    expect([needsPurge(store.index), purge(store.index), tracesOf(store)]).toEqual([true, true, []]);
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

test("a purge ends, and leaves no words, where somebody has written the database anew without `auto_vacuum`", () => {
  const store = storeWithNeedles();
  store.index.search.exec(
    "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM; PRAGMA journal_mode = WAL",
  );
  store.index.search.exec("CREATE TABLE t AS SELECT zeroblob(100000); DROP TABLE t");
  expect(store.index.search.pragma("freelist_count", { simple: true })).toBeGreaterThan(0);
  rmSync(store.path("secret.jsonl"));
  store.sync();
  expect(purge(store.index)).toBe(true);
  expect(tracesOf(store)).toEqual([]);
});
