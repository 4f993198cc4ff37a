import { truncateSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { STEP_BYTES } from "../../src/files/lines.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { removeFiles } from "../../src/indexing/remove-files.ts";
import { Verifier } from "../../src/reports/verify/verify-sessions.ts";
import type { IndexDump } from "../helpers/index-dump.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { LATER, Store, stepFor, syncFile } from "./store.ts";

/*
 * A session that takes several steps to read, and its forks, which are read before it. While it is read, what it spent
 * counts where it counted before, and once it has been read it counts in the original.
 */

const REQUESTS = 12;
const root = sharedTempDir();
const [ORIGINAL, FORK, LATER_FORK] = ["original", "fork", "later-fork"].map((name) =>
  join(root, `${name}.jsonl`),
) as [string, string, string];
let expected: IndexDump;

beforeAll(() => writeForks(root));

/** An original of 12 requests in four steps and a bit, and two forks of it. */
function writeForks(folder: string): void {
  const original = session({ id: "original", timestamp: "2026-01-01T00:00:00.000Z" });
  const data = "x".repeat(STEP_BYTES / 3);
  for (let at = 0; at < REQUESTS; at++) {
    original.user([{ type: "image", mimeType: "image/png", data }]).assistant();
  }
  const fork = original.fork({ id: "fork", timestamp: "2026-02-01T00:00:00.000Z" }).assistant();
  fork.write(join(folder, "fork.jsonl"));
  original
    .fork({ id: "later", timestamp: "2026-03-01T00:00:00.000Z" })
    .write(join(folder, "later-fork.jsonl"));
  original.write(join(folder, "original.jsonl"));
}

/** A store in which the forks have been read, and what reads on. */
function forksRead(folder = root): { store: Store; ingest: FileIndexer } {
  const store = new Store(folder);
  const ingest = new FileIndexer(store.index.database, { now: LATER });
  for (const name of ["later-fork.jsonl", "fork.jsonl"]) syncFile(ingest, store.path(name));
  return { store, ingest };
}

function steps(ingest: FileIndexer, path: string, count: number): void {
  for (let step = 0; step < count; step++) expect(stepFor(ingest, path).more).toBe(true);
}

/** How many requests count in each file. */
function countedIn(store: Store): Record<string, number> {
  const rows = store.rows(`SELECT f.path, count(*) FROM usage u JOIN files f ON f.id = u.file_id
    WHERE counted = 1 GROUP BY f.path ORDER BY f.path`) as [string, number][];
  return Object.fromEntries(rows.map(([path, count]) => [path.slice(store.root.length + 1), count]));
}

/** Sums of each file that differ from what its rows add up to, in file order. */
function wrongSums(store: Store): unknown[] {
  const added =
    store.rows(`SELECT f.path, sum(u.cost), total(iif(u.counted, 0, u.cost)), count(*), sum(u.counted)
    FROM usage u JOIN files f ON f.id = u.file_id GROUP BY f.path`);
  const kept =
    store.rows(`SELECT f.path, s.cost, s.inherited_cost, s.requests, s.requests - s.inherited_requests
    FROM sessions s JOIN files f ON f.id = s.file_id ORDER BY f.path`);
  const inQuarters =
    store.rows(`SELECT f.path, sum(q.cost), total(iif(q.counted, 0, q.cost)), sum(q.requests),
    sum(iif(q.counted, q.requests, 0)) FROM usage_quarters q JOIN files f ON f.id = q.file_id GROUP BY f.path`);
  const rounded = (rows: unknown[][]) =>
    rows.map((row) => row.map((value) => (typeof value === "number" ? value.toFixed(9) : value)));
  return [kept, inQuarters].filter(
    (rows) => JSON.stringify(rounded(rows)) !== JSON.stringify(rounded(added)),
  );
}

function differences(store: Store): string[] {
  const verifier = new Verifier(store.index);
  try {
    verifier.counted();
    return verifier.result.differences.map(({ what }) => what);
  } finally {
    verifier.close();
  }
}

describe("a session of several steps that is read after its forks", () => {
  test.each([0, 1, 2, 3])("has nothing counted twice or not at all after %i steps", (count) => {
    const { store, ingest } = forksRead();
    steps(ingest, ORIGINAL, count);
    expect([countedIn(store), wrongSums(store), differences(store)]).toEqual([
      { "fork.jsonl": REQUESTS + 1 },
      [],
      [],
    ]);
  });

  test.each([0, 1, 2, 3])("comes to what a rebuild comes to when it was killed after %i steps", (count) => {
    const { store, ingest } = forksRead();
    steps(ingest, ORIGINAL, count);
    store.close();
    store.sync();
    store.feed();
    expect(countedIn(store)).toEqual({ "fork.jsonl": 1, "original.jsonl": REQUESTS });
    expected ??= originalFirst();
    expect(store.dump()).toEqual(expected);
  });

  test("counts when no more of it will be read", () => {
    const { store, ingest } = forksRead();
    steps(ingest, ORIGINAL, 2);
    ingest.giveUp(ORIGINAL, ORIGINAL, "CRASHED");
    const { "original.jsonl": own = 0, ...others } = countedIn(store);
    expect([own > 0, own + (others["fork.jsonl"] ?? 0)]).toEqual([true, REQUESTS + 1]);
    expect([wrongSums(store), differences(store)]).toEqual([[], []]);
  });

  test("counts when the rest of it is cut off", () => {
    const folder = tempDir();
    writeForks(folder);
    const { store, ingest } = forksRead(folder);
    const path = store.path("original.jsonl");
    steps(ingest, path, 2);
    truncateSync(path, Number(store.column("SELECT offset FROM files WHERE path = ?", path)[0]));
    store.sync();
    store.feed();
    expect(countedIn(store)["original.jsonl"]).toBeGreaterThan(0);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("takes the place of whatever copy counts by then", () => {
    const { store, ingest } = forksRead();
    steps(ingest, ORIGINAL, 2);
    removeFiles(store.index, [FORK]);
    expect([countedIn(store)["later-fork.jsonl"], wrongSums(store)]).not.toContain(undefined);
    syncFile(ingest, ORIGINAL);
    syncFile(ingest, FORK);
    expect(countedIn(store)).toEqual({ "fork.jsonl": 1, "original.jsonl": REQUESTS });
    expect([wrongSums(store), differences(store)]).toEqual([[], []]);
  });
});

/** The index of one who met the original before its forks. */
function originalFirst(): IndexDump {
  const store = new Store(root);
  const ingest = new FileIndexer(store.index.database, { now: LATER });
  for (const path of [ORIGINAL, FORK, LATER_FORK]) syncFile(ingest, path);
  store.feed();
  return store.dump();
}
