import { rmSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { SessionDbError } from "../../src/errors.ts";
import { listSessions, searchEntries } from "../../src/index.ts";
import { removeFiles } from "../../src/indexing/remove-files.ts";
import { purge } from "../../src/search/purge.ts";
import { sharedIndex } from "../../src/session/shared-index.ts";
import { INDEX_DB, transaction } from "../../src/store/databases.ts";
import type { Database } from "../../src/store/native.ts";
import { openIndex } from "../../src/store/open.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { Store } from "../indexing/store.ts";

/** An index that is open, with one entry in it, and one more to come. */
function filled(): Store {
  const store = new Store();
  const there = session().user("apple");
  there.write(store.path("a.jsonl"));
  store.sync();
  store.feed();
  there.user("banana").write(store.path("a.jsonl"));
  return store;
}

type Which = "database" | "search";

/** What another process does to the index meanwhile. */
function meanwhile(store: Store, which: Which, change: (database: Database) => void): void {
  withIndex(store.indexFolder, (index) => change(index[which]));
}

/** What it gives, or the code of its error. */
function outcomeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof SessionDbError) return error.code;
    throw error;
  }
}

const makeNewer = (database: Database) => database.pragma("user_version = 99");
const migrateFurther = (database: Database) =>
  database.exec("UPDATE meta SET value = '99' WHERE name = 'migrations'");
const makeOlder = (database: Database) => database.pragma("user_version = 1");

const WRITERS: [string, Which, (store: Store) => unknown][] = [
  ["sync", "database", (store) => store.sync()],
  ["a rebuild", "database", (store) => store.sync({ rebuild: true })],
  ["delete", "database", (store) => removeFiles(store.index, [store.path("a.jsonl")])],
  ["feeding the full text", "search", (store) => store.feed()],
  ["a purge", "search", (store) => purge(store.index)],
];

describe.each<[string, string, (database: Database) => unknown]>([
  ["has refilled", "index_newer", makeNewer],
  ["has migrated", "index_newer", migrateFurther],
  ["of an older version was put in place of", "busy", makeOlder],
])("D11: an open index that another program %s", (_name, code, change) => {
  test.each(WRITERS)("is not written to by %s", (_writer, which, write) => {
    const store = filled();
    if (which === "search") store.sync();
    meanwhile(store, which, change);
    const before = store.dump();
    expect(() => write(store)).toThrow(expect.objectContaining({ code }));
    expect(store.dump()).toEqual(before);
  });
});

test("D11: a full text that a newer program takes over during a purge is not written to any more", () => {
  /** It is taken over when the purge asks for the `nth` time, between two transactions, whether it has to end. */
  const purgeTakenOver = (nth: number) => {
    const store = filled();
    session({ id: "b" }).user("appleTree").write(store.path("b.jsonl"));
    store.sync();
    store.feed();
    rmSync(store.path("a.jsonl"));
    store.sync();
    const { search } = store.index;
    const written = () =>
      search
        .prepare("SELECT name, value FROM meta UNION ALL SELECT id, hex(block) FROM entry_text_data")
        .all();
    let asked = 0;
    let before: unknown[] | null = null;
    const signal = {
      get aborted() {
        if (search.inTransaction || ++asked !== nth) return false;
        meanwhile(store, "search", makeNewer);
        before = written();
        return false;
      },
    };
    return { work: () => purge(store.index, { signal }), written, before: () => before };
  };
  for (let nth = 1; ; nth++) {
    const { work, written, before } = purgeTakenOver(nth);
    const outcome = outcomeOf(work);
    if (before() === null) return expect([nth > 4, outcome]).toEqual([true, true]);
    expect([outcome, written()], `asked for the ${nth}. time`).toEqual(["index_newer", before()]);
  }
});

describe("D11: who has an index open that a newer program takes over", () => {
  test("is not answered by the library", () => {
    const store = filled();
    meanwhile(store, "database", makeNewer);
    expect(() => listSessions(store.index)).toThrow(expect.objectContaining({ code: "index_newer" }));
  });

  test("is not answered by the library where it is the full text", () => {
    const store = filled();
    meanwhile(store, "search", makeNewer);
    expect(() => searchEntries(store.index, "apple")).toThrow(
      expect.objectContaining({ code: "index_newer" }),
    );
  });

  test("reads session files whole in SessionManager", () => {
    const store = filled();
    const location = indexIn(store.indexFolder);
    const shared = sharedIndex(location);
    onTestFinished(() => shared?.close());
    expect(shared).not.toBeNull();
    meanwhile(store, "database", makeNewer);
    expect(sharedIndex(location)).toBeNull();
  });

  test("can tell", () => {
    const store = filled();
    const before = store.index.isCurrent();
    meanwhile(store, "search", migrateFurther);
    expect([before, store.index.isCurrent()]).toEqual([true, false]);
  });

  test("is refused when it is opened again", () => {
    const store = filled();
    meanwhile(store, "database", makeNewer);
    expect(() => openIndex(indexIn(store.indexFolder))).toThrow(
      expect.objectContaining({ code: "index_newer" }),
    );
  });
});

test("D17: a writing transaction keeps other writers out before it has written anything", () => {
  const store = new Store();
  const other = openIndex(indexIn(store.indexFolder), { busyTimeoutMs: 1 });
  onTestFinished(() => other.close());
  transaction(store.index.database, INDEX_DB, () => {
    const busy = expect.objectContaining({ code: "SQLITE_BUSY" });
    expect(() => transaction(other.database, INDEX_DB, () => undefined)).toThrow(busy);
  });
});
