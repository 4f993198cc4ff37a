import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sampleAgent } from "./cli/pretend-world.ts";
import { indexIn } from "./helpers/open-index.ts";
import type { Outcome } from "./helpers/processes.ts";
import { MAIN } from "./helpers/program.ts";
import { compiled, printedBy, runNode, WITHOUT_THREADS } from "./helpers/scripts.ts";
import { session } from "./helpers/session-builder.ts";
import { tempDir } from "./helpers/temp-dir.ts";
import { Store, storeOf } from "./indexing/store.ts";

function sessiondb(agentDir: string, ...argv: string[]): Promise<Outcome> {
  return runNode([...WITHOUT_THREADS, MAIN, ...argv, "--agent-dir", agentDir]);
}

function placesIn({ stdout }: Outcome): unknown[] {
  const { hits } = JSON.parse(stdout) as { hits: { session: { id: string }; line: number }[] };
  return hits.map(({ session, line }) => [session.id, line]);
}

/** More entries than are worth threads that build segments of them. */
function storeOfMany(): Store {
  const store = new Store();
  const built = session({ id: "a" });
  for (let at = 0; at < 25_000; at++) built.user(`word${at % 1000} fooBar${at % 100}`);
  built.write(store.path("a.jsonl"));
  return store;
}

/** Takes in everything as a program of the library does, step by step, and prints what the full text came to. */
function feeding({ root, indexFolder }: Store): string {
  return `import { openIndex, SearchFeed, SyncRun } from ${compiled("src/index.js")};
    const location = ${JSON.stringify(indexIn(indexFolder))};
    const index = openIndex(location);
    const feed = new SearchFeed(location);
    let reports = 0;
    feed.onProgress(() => reports++);
    const run = new SyncRun(index, [${JSON.stringify(root)}], { now: () => Date.now() + 60_000 });
    while (run.step());
    index.close();
    feed.rowsDone();
    const result = await feed.finished;
    console.log(JSON.stringify({ ...result, isReported: reports > 0 }));`;
}

describe("where no thread may be started", () => {
  test("sync and search do the same, and say nothing of it", async () => {
    const agentDir = sampleAgent(tempDir());
    const synced = await sessiondb(agentDir, "sync", "--rebuild");
    expect([synced.code, synced.stderr]).toEqual([0, expect.stringMatching(/^13 files read .*\.\n$/)]);
    const asked = ["search", "harbour", "--json", "--sort", "newest"];
    const found = await sessiondb(agentDir, ...asked);
    const known = await runNode([MAIN, ...asked, "--agent-dir", agentDir]);
    expect([found.stderr, placesIn(found)]).toEqual(["", placesIn(known)]);
    expect(placesIn(found)).not.toEqual([]);
  });

  test("doctor says that it takes longer", async () => {
    const { code, stdout } = await sessiondb(sampleAgent(tempDir()), "doctor", "--json");
    const { findings } = JSON.parse(stdout) as { findings: { what: string }[] };
    const said = "no more threads can be started (ERR_ACCESS_DENIED), so a first index takes longer";
    expect([code, findings.map(({ what }) => what)]).toEqual([0, expect.arrayContaining([said])]);
  });

  test("the library takes in many files, and entries, to the same index", async () => {
    for (const [store, added] of [
      [storeOf(300), 600],
      [storeOfMany(), 25_000],
    ] as const) {
      const fed = { complete: true, behind: 0, added, outOfRoom: false, isReported: true };
      expect(await printedBy(feeding(store), WITHOUT_THREADS)).toEqual(fed);
      expect(store.dump()).toEqual(store.rebuilt());
    }
  });

  test("a full text that cannot be filled says why", async () => {
    const store = storeOf(2);
    store.index.search.pragma("user_version = 999");
    const script = feeding(store).replace(
      "await feed.finished",
      "await feed.finished.catch(({ code }) => ({ code }))",
    );
    expect(await printedBy(script, WITHOUT_THREADS)).toMatchObject({ code: "index_newer" });
  });

  test("files are looked through for a text by whoever asks", async () => {
    const store = storeOf(9);
    const files = readdirSync(store.root).map((name) => ({ realPath: store.path(name), size: 1 }));
    const script = `import { ScanAhead } from ${compiled("src/search/substring/parallel-scan.js")};
      const files = ${JSON.stringify(files)};
      const ahead = new ScanAhead(files, "nothing like it");
      ahead.start();
      await ahead.ended;
      console.log(JSON.stringify(files.map((_, file) => ahead.mayHold(file))));`;
    expect(await printedBy(script, WITHOUT_THREADS)).toEqual(files.map(() => true));
  });

  test("the daemon feeds, tidies and purges the full text", async () => {
    const store = storeOf(20);
    store.sync();
    const script = `import { FullTextThread } from ${compiled("src/search/worker-client.js")};
      const fullText = new FullTextThread(${JSON.stringify(indexIn(store.indexFolder))});
      const { complete, behind } = await fullText.feed();
      const done = [complete, behind, await fullText.tidy(), await fullText.purge()];
      await fullText.close();
      console.log(JSON.stringify(done));`;
    expect(await printedBy(script, WITHOUT_THREADS)).toEqual([true, 0, true, "done"]);
    expect(store.dump()).toEqual(store.rebuilt());
    expect(readdirSync(store.indexFolder)).not.toContain("daemon-feeding");
  });

  test("sql says that it may start no process, and what to do about it", async () => {
    const agentDir = sampleAgent(tempDir());
    expect(await sessiondb(agentDir, "sql", "SELECT 1")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: the process .* cannot be started .*--allow-child-process\.\n$/),
    });
  });
});

test("a program that Node is given as text has its full text fed by a thread", async () => {
  const store = storeOf(20);
  expect(await printedBy(feeding(store))).toMatchObject({ complete: true, added: 40 });
  expect(store.dump()).toEqual(store.rebuilt());
});
