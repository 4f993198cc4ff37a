import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { TruncationGuard } from "../../src/indexing/change-detection.ts";
import { SyncRun } from "../../src/indexing/sync-run.ts";
import { CursorTable } from "../../src/store/tables/cursors.ts";
import { session } from "../helpers/session-builder.ts";
import { Store } from "./store.ts";

const LONG = session({ id: "a" }).user("one").user("two").user("three");
const SHORT = session({ id: "a" }).user("one");
const AT = 1_000_000;

/** Looks at a file of which the index has 100 bytes: what it has now, and when it was last written. */
function looker(): (look: { now: number; size?: number; mtimeMs?: number }) => boolean {
  const shrinking = new TruncationGuard();
  const cursors = new CursorTable(new Store().index.database, Date.now);
  const before = { device: 1, inode: 2, bornAt: null, size: 100, mtimeMs: AT, ctimeMs: AT };
  const cursor = cursors.create("/a.jsonl", "/a.jsonl", before);
  const known = { ...cursor, fingerprint: { ...cursor.fingerprint, length: before.size } };
  return ({ now, size = 50, mtimeMs = AT }) =>
    shrinking.isInQuietPeriod(known, { ...before, size, mtimeMs, ctimeMs: mtimeMs }, now);
}

test("a shorter file is being written again until it has not been touched for a moment", () => {
  const isLeft = looker();
  expect([0, 249, 250].map((ms) => isLeft({ now: AT + ms }))).toEqual([true, true, false]);
});

test("a file that is as long as it was, or longer, is read at once", () => {
  const isLeft = looker();
  expect([100, 101].map((size) => isLeft({ size, now: AT }))).toEqual([false, false]);
});

test("a file that is written again and again is read after five seconds all the same", () => {
  const isLeft = looker();
  const looks = Array.from({ length: 60 }, (_, turn) => AT + turn * 100);
  const left = looks.filter((now) => isLeft({ mtimeMs: now, now }));
  expect([left.at(0), left.length]).toEqual([AT, 59]);
  expect(left.includes(AT + 5000)).toBe(false);
});

test("a file of tomorrow does not wait for tomorrow", () => {
  expect(looker()({ mtimeMs: AT + 24 * 60 * 60_000, now: AT })).toBe(false);
});

/** A file of which the index has more than it holds since a moment ago, and that moment, in Unix ms. */
function justRewritten(): { store: Store; writtenAt: number } {
  const store = new Store();
  store.write("a.jsonl", LONG.bytes());
  store.sync();
  store.write("a.jsonl", SHORT.bytes());
  return { store, writtenAt: Math.ceil(statSync(store.path("a.jsonl")).mtimeMs) };
}

test("B6: the rows of a file that is just being written again stay until nobody writes to it", () => {
  const { store, writtenAt } = justRewritten();
  let now = writtenAt;
  const run = new SyncRun(store.index, [store.root], { now: () => now });
  while (run.step());
  expect(run.result()).toMatchObject({ complete: false, files: { failed: 0 } });
  expect(store.column("SELECT count(*) FROM entries")).toEqual([3]);
  now += 250;
  expect(run.lookAgain()).toBe(true);
  while (run.step());
  expect(run.lookAgain()).toBe(false);
  expect(run.result()).toMatchObject({ complete: true });
  expect(store.column("SELECT count(*) FROM entries")).toEqual([1]);
});

test("a sync in one call waits for it, and no longer than it may", () => {
  const { store, writtenAt } = justRewritten();
  expect(store.sync({ now: () => writtenAt, deadlineMs: Date.now() + 60 })).toMatchObject({
    complete: false,
  });
  expect(store.sync({ now: Date.now })).toMatchObject({ complete: true, files: { indexed: 1 } });
  expect(store.column("SELECT count(*) FROM entries")).toEqual([1]);
});
