import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { Lease } from "../../../daemon/control/lease.ts";
import { type DaemonStatus, writeStatusFile } from "../../../daemon/control/status-file.ts";
import { FileIndexer } from "../../../src/indexing/index-file.ts";
import { someStatus } from "../../daemon/some-status.ts";
import { indexIn } from "../../helpers/open-index.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { Store } from "../../indexing/store.ts";
import { type PretendOptions, runCli } from "../pretend-world.ts";

/** A session in the index, and a daemon that has said how it stands. */
function watched(fields: Partial<DaemonStatus>): Store {
  const store = new Store();
  session({ id: "one" }).user("apple").write(store.path("one.jsonl"));
  store.sync();
  const location = indexIn(store.indexFolder);
  const lease = Lease.take(location);
  onTestFinished(() => lease?.release());
  writeStatusFile(store.indexFolder, {
    ...someStatus(store.indexFolder, process.pid),
    startedAt: "2026-11-20T11:30:00.000Z",
    roots: [store.root],
    ...fields,
  });
  return store;
}

async function said(store: Store, options: Partial<PretendOptions> = {}, ...argv: string[]): Promise<string> {
  store.close();
  const place = ["--sessions-dir", store.root, "--db", indexIn(store.indexFolder).indexPath];
  const { stdout } = await runCli([...argv, ...place], { agentDir: tempDir(), ...options });
  return stripVTControlCharacters(stdout);
}

const status = (store: Store, options?: Partial<PretendOptions>, ...argv: string[]) =>
  said(store, options, "daemon", "status", ...argv);

test("a daemon that watches says since when, what, and when it last had everything", async () => {
  const store = watched({ lastSyncAt: "2026-11-20T12:00:00.000Z", memoryBytes: 84e6 });
  const lines = (await status(store)).split("\n");
  expect(lines).toEqual([
    "watching",
    `Process   ${process.pid}, version 1.2.3, started 30 min ago`,
    "Memory    84.0 MB",
    "Watches   1 folder, 0 files waiting",
    `Below     ${store.root}`,
    "Synced    just now",
    expect.stringMatching(/^Index {5}1 session, 1 entry, \d+(\.\d)? KB$/),
    "At login  no; sessiondb daemon install",
    `Log       ${join(store.indexFolder, "daemon.log")}`,
    "",
  ]);
  expect((await said(store, {}, "daemon")).split("\n")).toEqual(lines);
});

test("one that is at work, and hindered, says how far it is and why", async () => {
  const store = watched({
    state: "degraded",
    degraded: "no more folders can be watched (ENOSPC)",
    progress: { filesDone: 1000, filesTotal: 2000, bytesDone: 1e6, bytesTotal: 4e6 },
    searchQueue: 12,
    queue: 3,
  });
  expect(await status(store, { home: store.root })).toContain(
    [
      "degraded",
      "no more folders can be watched (ENOSPC)",
      "Reads     1,000 of 2,000 files, 1.0 MB of 4.0 MB",
      "Search    12 entries not searchable yet",
      `Process   ${process.pid}, version 1.2.3, started 30 min ago`,
      "Watches   1 folder, 3 files waiting",
      "Below     ~",
    ].join("\n"),
  );
  expect(await said(store, {}, "--no-sync")).toContain(
    "Daemon degraded: no more folders can be watched (ENOSPC)\n",
  );
});

test("files that are left alone are named, the first ten, with why", async () => {
  const store = watched({});
  const { database } = store.index;
  for (let n = 10; n < 22; n++)
    new FileIndexer(database).giveUp(`/x/${n}`, `/x/${n}`, "the daemon died 2 times while reading it");
  const text = await status(store);
  expect(text).toContain(
    "Skips     12 files, each until it changes:\n  /x/10 (the daemon died 2 times while reading it)\n",
  );
  expect(text.match(/^ {2}\/x/gm)).toHaveLength(10);
});

test("the status of another index's daemon in the same folder is not this one's", async () => {
  const store = watched({ indexPath: join(tempDir(), "other.db") });
  expect(await status(store)).toMatch(
    /^No daemon is running; every command brings the index up to date by itself\.\n/,
  );
});

test.each(["sessions", "files"])(
  "an index with a damaged page of %s does not keep it from being told",
  async (table) => {
    const store = watched({});
    const { database, location } = store.index;
    const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table);
    store.close();
    const fd = openSync(location.indexPath, "r+");
    writeSync(fd, Buffer.alloc(4096, "garbage\n"), 0, 4096, (Number(page) - 1) * 4096);
    closeSync(fd);
    expect(JSON.parse(await status(store, {}, "--json"))).toMatchObject({
      running: true,
      state: "watching",
      index: { trouble: null },
    });
    expect(await status(store)).toMatch(/^watching\nProcess/);
  },
);

test("the front page offers to go on where a daemon runs, else to install one", async () => {
  const store = watched({});
  const page = await said(store, {}, "--no-sync");
  expect(page).toContain("\nDaemon watching\n");
  expect(page).toContain("sessiondb resume latest --exec");
  expect(page).toContain("sessiondb sync             ");
  expect(page).toContain("1 entry not searchable yet\n");
});
