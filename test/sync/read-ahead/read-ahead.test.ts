import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { locateSessionFiles } from "../../../src/file/locate.ts";
import { isArrayFileName } from "../../../src/file/names.ts";
import type { ReadAhead } from "../../../src/sync/read-ahead/read-ahead.ts";
import type { AheadStep, StepsAhead } from "../../../src/sync/read-ahead/read-ahead-step.ts";
import type { syncAll } from "../../../src/sync/sync-all.ts";
import { Ingest } from "../../../src/sync/sync-file.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { dumpIndex, type IndexDump } from "../../helpers/index-dump.ts";
import { withIndex } from "../../helpers/open-index.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { session } from "../../helpers/session-builder.ts";
import { fileEvents, happen } from "../../helpers/session-store-model.ts";
import { sharedTempDir } from "../../helpers/temp-dir.ts";
import { Store, storeOf } from "../store.ts";
import { stepsAhead } from "./steps-ahead.ts";

const folder = sharedTempDir();

/** Steps read here and now, without a thread, and handed over in columns as a thread hands them over. */
class ReadNow implements StepsAhead {
  /** Steps that were taken. */
  taken = 0;
  readonly #steps = new Map<string, AheadStep[]>();

  constructor(root: string) {
    for (const { realPath } of locateSessionFiles([root]).files) {
      if (!isArrayFileName(realPath)) this.#steps.set(realPath, stepsAhead(realPath));
    }
  }

  take(realPath: string, from: number): AheadStep | null {
    const step = this.#steps.get(realPath)?.shift();
    if (step?.before.length !== from) return null;
    this.taken++;
    return step;
  }
}

/** What the index holds once every file has been read, with what was read ahead or without. */
function indexed(root: string, ahead: StepsAhead | null): IndexDump {
  const place = mkdtempSync(join(folder, "index-"));
  return withIndex(place, (index) => {
    const ingest = new Ingest(index.database);
    for (const { path, realPath } of locateSessionFiles([root]).files) {
      for (let more = true; more; ) {
        more = ingest.transaction(() => ingest.step({ path, realPath, ahead })).more;
      }
    }
    return dumpIndex(index);
  });
}

/** Until an equal stat proves that a file was not touched. */
async function settle(root: string): Promise<void> {
  const times = readdirSync(root, { recursive: true, encoding: "utf8" }).map(
    (name) => statSync(join(root, name)).ctimeMs,
  );
  const last = Math.max(0, ...times);
  await pollUntil(() => Date.now() > last + 25, { what: "settled files" });
}

const events = fc.array(fileEvents, { maxLength: 12 });

test("whatever happens to files before and after they were read ahead, the rows are those of reading them in their turn", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(events, fc.array(fileEvents, { maxLength: 3 }), async (before, after) => {
      const root = mkdtempSync(join(folder, "root-"));
      happen(root, { kind: "create", file: 1, seed: 2 });
      for (const event of before) happen(root, event);
      await settle(root);
      const ahead = new ReadNow(root);
      for (const event of after) happen(root, event);
      expect(indexed(root, ahead)).toEqual(indexed(root, null));
      taken += ahead.taken;
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    }),
    { numRuns: runs(60) },
  );
  expect(taken).toBeGreaterThan(runs(10));
});

test("a file written a moment before it was read ahead is read again: its stat proves nothing", () => {
  const store = new Store();
  session().user("question").assistant().write(store.path("s.jsonl"));
  const ahead = new ReadNow(store.root);
  const later: StepsAhead = {
    take: (path, from) => {
      const step = ahead.take(path, from);
      return step && { ...step, readAt: step.stat.ctimeMs + 1, entries: [] };
    },
  };
  expect(indexed(store.root, later).entries).toHaveLength(2);
});

const built = (name: string) => join(import.meta.dirname, "../../../dist/src/sync", name);

/** The compiled thread: a worker cannot load TypeScript on every Node that is supported. */
async function readAhead(store: Store): Promise<ReadAhead> {
  await settle(store.root);
  const compiled = (await import(pathToFileURL(built("read-ahead/read-ahead.js")).href)) as {
    ReadAhead: typeof ReadAhead;
  };
  const ahead = new compiled.ReadAhead(
    locateSessionFiles([store.root]).files.map(({ realPath }) => realPath),
  );
  await pollUntil(() => ahead.waiting > 0, { what: "the thread" });
  return ahead;
}

describe("D23: the thread that reads ahead", () => {
  test("gives each step once, and ends when it has given all", async () => {
    const store = storeOf(50);
    const ahead = await readAhead(store);
    const paths = locateSessionFiles([store.root]).files.map(({ realPath }) => realPath);
    const spoken = paths.map((path) => ahead.take(path, 0)?.entries.map(({ digest }) => digest.spoken)[0]);
    expect(spoken.toSorted()).toEqual(paths.map((_path, number) => `question ${number}`).toSorted());
    expect(paths.map((path) => ahead.take(path, 0))).toEqual(paths.map(() => null));
    await ahead.ended;
  });

  test("gives nothing of a file that is not plain, and goes on with the next", async () => {
    const store = new Store();
    store.write("a.jsonl", "no session\n");
    session().user("question").write(store.path("b.jsonl"));
    const ahead = await readAhead(store);
    expect(ahead.take(store.path("a.jsonl"), 0)).toBeNull();
    expect(ahead.take(store.path("b.jsonl"), 0)?.entries).toHaveLength(1);
    ahead.close();
    await ahead.ended;
  });

  test("ends when it is closed, with everything still to give", async () => {
    const store = new Store();
    for (let number = 0; number < 8; number++) {
      session({ id: `s${number}` })
        .user("x".repeat(2_500_000))
        .write(store.path(`${number}.jsonl`));
    }
    const ahead = await readAhead(store);
    ahead.close();
    await ahead.ended;
    expect(ahead.take(store.path("0.jsonl"), 0)).toBeNull();
  });

  test("never holds more than a few steps", async () => {
    const store = new Store();
    for (let number = 0; number < 12; number++) {
      session({ id: `s${number}` })
        .user("x".repeat(2_500_000))
        .write(store.path(`${number}.jsonl`));
    }
    const ahead = await readAhead(store);
    const paths = locateSessionFiles([store.root]).files.map(({ realPath }) => realPath);
    await pollUntil(() => ahead.waiting === 2, { what: "two batches" });
    for (const path of paths)
      expect([ahead.take(path, 0)?.entries.length, ahead.waiting < 3]).toEqual([1, true]);
    await ahead.ended;
  });

  test("serves a sync of everything, which ends it", async () => {
    const store = storeOf(300);
    await settle(store.root);
    const compiled = (await import(pathToFileURL(built("sync-all.js")).href)) as { syncAll: typeof syncAll };
    const { entries } = compiled.syncAll(store.index, [store.root], { readAheadFrom: 1 });
    store.feed();
    expect(entries.added).toBe(600);
    expect(store.dump()).toEqual(store.rebuilt());
  });
});
