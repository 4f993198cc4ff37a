import { appendFileSync, chmodSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { storeOf } from "./store.ts";

describe("files that are taken in together, one of which cannot be read", () => {
  test("are all taken in but that one, and counted once", () => {
    const store = storeOf(3);
    chmodSync(store.path("1.jsonl"), 0);
    const { files, entries, bytesRead } = store.asNobody(() => store.sync());
    const sizes = store.rows("SELECT sum(size) FROM files WHERE status = 'session'");
    expect([files.indexed, files.failed, entries.added, sizes]).toEqual([2, 1, 4, [[bytesRead]]]);
  });

  test("go on from there when it can be read again", () => {
    const store = storeOf(3);
    chmodSync(store.path("1.jsonl"), 0);
    store.asNobody(() => store.sync());
    chmodSync(store.path("1.jsonl"), 0o644);
    appendFileSync(store.path("0.jsonl"), "no json\n");
    expect(store.sync().files).toMatchObject({ indexed: 2, failed: 0, unchanged: 1 });
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });
});
