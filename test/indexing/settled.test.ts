import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import type { SyncOptions } from "../../src/indexing/sync-run.ts";
import { bytesReadBy, countsBytes } from "../helpers/process-io.ts";
import { session } from "../helpers/session-builder.ts";
import { LATER, Store } from "./store.ts";

const FILE = "a.jsonl";
/** A clock that shows the moment the file was last changed: whatever it holds now may change unseen. */
const inTheSameTick = (store: Store): SyncOptions => ({
  now: () => Math.floor(statSync(store.path(FILE)).ctimeMs),
});

function storeWithOne(options?: (store: Store) => SyncOptions): Store {
  const store = new Store();
  session({ id: "a" }).user("question one").assistant().write(store.path(FILE));
  store.sync(options?.(store));
  return store;
}

/** One byte of the question is another one; size, inode and time of change stay. */
function flip(store: Store): void {
  const path = store.path(FILE);
  const { atime, mtime } = statSync(path);
  const fd = openSync(path, "r+");
  writeSync(fd, "X", readFileSync(path).indexOf("question"));
  closeSync(fd);
  utimesSync(path, atime, mtime);
}

function isSettled(store: Store): unknown {
  return store.column("SELECT settled FROM files")[0];
}

test("B9: a file whose time was set to some later year is not read anew at every look", () => {
  const store = storeWithOne();
  const nextYear = new Date(LATER() + 365 * 24 * 60 * 60_000);
  utimesSync(store.path(FILE), nextYear, nextYear);
  store.sync();
  expect(isSettled(store)).toBe(1);
  flip(store);
  store.sync();
  expect(store.column("SELECT preview FROM entries WHERE role = 'user'")).toEqual(["Xuestion one"]);
});

describe("B10: a file that was written a moment ago", () => {
  test("is not settled", () => {
    expect(isSettled(storeWithOne(inTheSameTick))).toBe(0);
  });

  test("is looked at again, and settled then", () => {
    const store = storeWithOne(inTheSameTick);
    expect([store.sync().files.unchanged, isSettled(store)]).toEqual([1, 1]);
  });

  test("is seen to have changed though its stat is the same", () => {
    const store = storeWithOne();
    flip(store);
    // As if the file system's clock had not ticked in between.
    const { mtimeMs, ctimeMs } = statSync(store.path(FILE));
    store.index.database
      .prepare("UPDATE files SET settled = 0, mtime_ms = ?, ctime_ms = ?")
      .run(mtimeMs, ctimeMs);
    store.sync();
    expect(store.column("SELECT generation FROM files")).toEqual([2]);
    expect(store.column("SELECT text FROM messages")).toContain("Xuestion one");
  });

  test("keeps its rows, whatever its age, when it only was looked at", () => {
    const store = storeWithOne(inTheSameTick);
    const keys = store.column("SELECT key FROM entries");
    store.sync();
    expect(store.column("SELECT key FROM entries")).toEqual(keys);
  });
});

describe("a settled file", () => {
  test("B7: is seen to have changed though its size and time were put back", () => {
    const store = storeWithOne();
    flip(store);
    store.sync();
    store.feed();
    expect(store.column("SELECT generation FROM files")).toEqual([2]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("B8: is seen to have been replaced by one of the same size and time", () => {
    const store = storeWithOne();
    const { atime, mtime } = statSync(store.path(FILE));
    writeFileSync(store.path("new"), session({ id: "b" }).user("question two").assistant().bytes());
    utimesSync(store.path("new"), atime, mtime);
    renameSync(store.path("new"), store.path(FILE));
    store.sync();
    store.feed();
    expect(store.column("SELECT session_id FROM sessions")).toEqual(["b"]);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test.each(["1970-01-02T00:00:00Z", "2999-01-01T00:00:00Z"])(
    "B9: keeps its rows when it is touched: %s",
    (time) => {
      const store = storeWithOne();
      const keys = store.column("SELECT key FROM entries");
      utimesSync(store.path(FILE), new Date(time), new Date(time));
      const { bytesRead, files } = store.sync();
      expect([store.column("SELECT key FROM entries"), bytesRead, files.unchanged]).toEqual([keys, 0, 1]);
    },
  );

  test("B8: keeps its rows when it was replaced by a copy of itself", () => {
    const store = storeWithOne();
    const keys = store.column("SELECT key FROM entries");
    writeFileSync(store.path("new"), readFileSync(store.path(FILE)));
    renameSync(store.path("new"), store.path(FILE));
    store.sync();
    expect(store.column("SELECT key FROM entries")).toEqual(keys);
  });
});

describe.skipIf(!countsBytes)("I-5, C10: once everything is settled", () => {
  test("a sync reads nothing of the files", () => {
    const store = new Store();
    session().user("x".repeat(3_000_000)).write(store.path(FILE));
    store.sync();
    store.feed();
    const read = bytesReadBy(() => {
      store.sync();
      store.feed();
    });
    expect(read).toBeLessThan(1_000_000);
  });
});
