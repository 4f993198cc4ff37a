import { appendFileSync, closeSync, openSync, utimesSync, writeSync } from "node:fs";
import { expect, test } from "vitest";
import { PrefixProofs } from "../../src/indexing/change-detection.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { session } from "../helpers/session-builder.ts";
import { LATER, Store, stepFor, syncFile } from "./store.ts";

const FILE = "a.jsonl";
/** Far below what the file holds, so that comparing it takes several steps. */
const STEP = 1000;

function storeWithOne(): { store: Store; ingest: FileIndexer } {
  const store = new Store();
  const built = session({ id: "a" });
  for (let n = 0; n < 30; n++) built.user(`question ${n} ${"and so on ".repeat(20)}`);
  built.write(store.path(FILE));
  const ingest = new FileIndexer(store.index.database, { now: LATER, proofs: new PrefixProofs(STEP) });
  syncFile(ingest, store.path(FILE));
  return { store, ingest };
}

function step(store: Store, ingest: FileIndexer) {
  return stepFor(ingest, store.path(FILE));
}

function touch(store: Store, seconds: number): void {
  utimesSync(store.path(FILE), seconds, seconds);
}

function overwrite(store: Store, text: string, at: number): void {
  const fd = openSync(store.path(FILE), "r+");
  writeSync(fd, text, at);
  closeSync(fd);
}

/** How often it turned out to be another file. */
function generation(store: Store): number {
  return Number(store.column("SELECT generation FROM files")[0]) - 1;
}

test("A32: every byte of a large file is compared in steps, between which others have their turn", () => {
  const { store, ingest } = storeWithOne();
  touch(store, 1000);
  const before = store.dump();
  let steps = 1;
  while (step(store, ingest).more) steps++;
  const size = Number(store.column("SELECT size FROM files")[0]);
  expect(steps).toBe(Math.ceil(size / STEP));
  expect([generation(store), store.dump().entries]).toEqual([0, before.entries]);
  expect(step(store, ingest)).toMatchObject({ outcome: "unchanged", more: false });
});

test("A32: what is different in the last step makes it another file", () => {
  const { store, ingest } = storeWithOne();
  const size = Number(store.column("SELECT size FROM files")[0]);
  overwrite(store, "X", size - 20);
  while (step(store, ingest).more);
  expect(generation(store)).toBe(1);
});

test("A32: a file that is touched while it is compared is compared from its beginning again", () => {
  const { store, ingest } = storeWithOne();
  touch(store, 1000);
  expect([step(store, ingest).more, step(store, ingest).more]).toEqual([true, true]);
  overwrite(store, "X", STEP / 2);
  touch(store, 1000);
  while (step(store, ingest).more);
  expect(generation(store)).toBe(1);
});

test("A32: a file that is appended to while it is compared need not be compared on", () => {
  const { store, ingest } = storeWithOne();
  touch(store, 1000);
  expect(step(store, ingest).more).toBe(true);
  appendFileSync(store.path(FILE), `${JSON.stringify({ type: "custom", id: "late", parentId: null })}\n`);
  while (step(store, ingest).more);
  expect(store.column("SELECT count(*) FROM entries")).toEqual([31]);
  expect(generation(store)).toBe(0);
});
