import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { Cursors } from "../../src/sync/cursor.ts";
import { Shrinking } from "../../src/sync/shrinking.ts";
import { session } from "../helpers/session-builder.ts";
import { Store } from "./store.ts";

const LONG = session({ id: "a" }).user("one").user("two").user("three");
const SHORT = session({ id: "a" }).user("one");
const AT = 1_000_000;

/** A file of which the index has 100 bytes, as it is when it has `size` bytes and was last written at `mtimeMs`. */
function look(shrinking: Shrinking, { size = 50, mtimeMs = AT }, now: number): boolean {
  const store = new Store();
  const stat = { device: 1, inode: 2, size, mtimeMs, ctimeMs: mtimeMs };
  const cursor = new Cursors(store.index.database, Date.now).create("/a.jsonl", "/a.jsonl", stat);
  return shrinking.isGoingOn({ ...cursor, fingerprint: { ...cursor.fingerprint, length: 100 } }, stat, now);
}

test("a shorter file is being written again until it has not been touched for a moment", () => {
  const shrinking = new Shrinking();
  expect([0, 249, 250].map((ms) => look(shrinking, {}, AT + ms))).toEqual([true, true, false]);
});

test("a file that is as long as it was, or longer, is read at once", () => {
  expect([100, 101].map((size) => look(new Shrinking(), { size }, AT))).toEqual([false, false]);
});

test("a file that is written again and again is read after five seconds all the same", () => {
  const shrinking = new Shrinking();
  const looks = Array.from({ length: 60 }, (_, turn) => AT + turn * 100);
  const left = looks.filter((now) => look(shrinking, { mtimeMs: now }, now));
  expect([left.at(0), left.length]).toEqual([AT, 59]);
  expect(left.includes(AT + 5000)).toBe(false);
});

test("a file of tomorrow does not wait for tomorrow", () => {
  expect(look(new Shrinking(), { mtimeMs: AT + 24 * 60 * 60_000 }, AT)).toBe(false);
});

test("B6: a sync leaves the rows of a file that is just being written again, and says that it is not complete", () => {
  const store = new Store();
  store.write("a.jsonl", LONG.bytes());
  store.sync();
  store.write("a.jsonl", SHORT.bytes());
  const { mtimeMs } = statSync(store.path("a.jsonl"));
  expect(store.sync({ now: () => mtimeMs })).toMatchObject({ complete: false, files: { failed: 0 } });
  expect(store.column("SELECT count(*) FROM entries")).toEqual([3]);
  expect(store.sync()).toMatchObject({ complete: true });
  expect(store.column("SELECT count(*) FROM entries")).toEqual([1]);
});
