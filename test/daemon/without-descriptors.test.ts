import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileSync } from "../../daemon/components/file-sync.ts";
import { FolderWatches } from "../../daemon/components/folder-watches.ts";
import { askDaemon, Lease } from "../../daemon/control/lease.ts";
import { LogFile, SILENT } from "../../daemon/control/log.ts";
import type { DaemonReport } from "../../daemon/control/status-file.ts";
import { StatusWriter } from "../../daemon/control/status-writer.ts";
import { NOTHING_EXCLUDED } from "../../src/files/session-path.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { canLimit, withoutDescriptors } from "../helpers/limits.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../indexing/store.ts";

const IDLE: DaemonReport = {
  state: "watching",
  degraded: null,
  watches: 1,
  queue: 0,
  progress: null,
  searchQueue: 0,
  lastSyncAt: null,
  sweeps: 1,
};

describe.skipIf(!canLimit)("B22: where no more files may be opened", () => {
  test("a line that cannot be written to the log ends nobody", () => {
    const path = join(tempDir(), "daemon.log");
    const log = new LogFile(path);
    log.write("before");
    withoutDescriptors(() => log.write("meanwhile"));
    log.write("after");
    expect(readFileSync(path, "utf8")).toMatch(/^.*"before".*\n.*"after".*\n$/);
  });

  test("nor does a status, which is told as soon as it can be", () => {
    const location = indexIn(tempDir());
    const lease = Lease.take(location);
    onTestFinished(() => lease?.release());
    if (lease === null) throw new Error("no lease");
    const status = new StatusWriter({ roots: [], location, version: "1", now: Date.now }, lease, SILENT);
    withoutDescriptors(() => status.update(IDLE));
    expect(askDaemon(location)).toBeNull();
    status.update({ ...IDLE, state: "stopping" });
    expect(askDaemon(location)).toMatchObject({ state: "stopping" });
  });

  test("a file is looked at again a moment later", () => {
    const store = new Store();
    const built = session({ id: "a" }).user("x");
    const path = store.write("a.jsonl", built.bytes());
    let now = 0;
    const fileSync = new FileSync(
      new FileIndexer(store.index.database),
      { wall: Date.now, steady: () => now },
      NOTHING_EXCLUDED,
    );
    fileSync.sync(path);
    appendFileSync(path, `${built.user("y").lines().at(-1)}\n`);
    const look = withoutDescriptors(() => fileSync.sync(path));
    expect(look).toMatchObject({ kind: "later" });
    now = look.kind === "later" ? look.at : 0;
    expect(fileSync.sync(path)).toEqual({ kind: "done", changed: true });
    expect(store.column("SELECT status FROM files")).toEqual(["session"]);
  });

  test("a new folder that cannot be listed is known to be one", () => {
    const root = tempDir();
    const watches = new FolderWatches(
      { onChange: () => undefined, onUnclear: () => undefined },
      NOTHING_EXCLUDED,
    );
    onTestFinished(() => watches.close());
    watches.arm(root, { announce: false });
    mkdirSync(join(root, "p", "q"), { recursive: true });
    withoutDescriptors(() => watches.arm(join(root, "p"), { announce: true }));
    expect([watches.size, watches.hasGaps, watches.exhausted]).toEqual([1, true, "EMFILE"]);
  });
});
