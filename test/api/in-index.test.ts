import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, onTestFinished, test } from "vitest";
import * as library from "../../src/index.ts";
import { asNobody } from "../files/as-nobody.ts";
import { indexIn } from "../helpers/open-index.ts";
import { sampleUsage } from "../helpers/sample-usage.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function opened(location: library.IndexLocation, options: library.OpenOptions = {}): library.Index {
  const index = library.openIndex(location, options);
  onTestFinished(() => index.close());
  return index;
}

function filled(): { root: string; folder: string; index: library.Index } {
  const [root, folder] = [tempDir(), tempDir()];
  session()
    .user("Where is the tide table?", { id: "asked" })
    .assistant({ usage: sampleUsage(1), toolCalls: [{ name: "read", arguments: { path: "/a" } }] })
    .label("asked", "moon")
    .writeBelow(root);
  const index = opened(indexIn(folder));
  library.syncAll(index, [root]);
  library.feedSearch(index);
  return { root, folder, index };
}

const QUESTIONS: Record<string, (index: library.Index) => unknown> = {
  listSessions: library.listSessions,
  searchEntries: (index) => library.searchEntries(index, "tide"),
  substring: (index) => library.searchEntries(index, "tide", { substring: true }),
  sumUsage: (index) => library.sumUsage(index, { by: "model", timezone: "UTC" }),
  findWaste: (index) => library.findWaste(index, { timezone: "UTC" }),
  listLabels: library.listLabels,
  findTouches: (index) => library.findTouches(index, "a", "/a", { home: "/h" }),
  readConversation: (index) => library.readConversation(index, "latest"),
  readOutline: (index) => library.readOutline(index, "latest"),
  readStatus: (index) => library.readStatus(index, { now: 0 }),
  resolveSession: (index) => library.resolveSession(index, "latest"),
  describeSchema: library.describeSchema,
  needsPurge: library.needsPurge,
};
const WORKS: Record<string, (index: library.Index) => unknown> = {
  syncAll: (index) => library.syncAll(index, []),
  SyncRun: (index) => new library.SyncRun(index, []),
  feedSearch: library.feedSearch,
  purge: library.purge,
};

test.each(Object.entries({ ...QUESTIONS, ...WORKS }))(
  "%s of an index that was closed says so",
  (_name, ask) => {
    const { index } = filled();
    index.close();
    index.close();
    expect(() => ask(index)).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining("closed") }),
    );
  },
);

describe("while rows of an index are read one by one", () => {
  const stillRead = expect.objectContaining({
    name: "SessionDbError",
    code: "usage",
    message: expect.stringContaining("iterator"),
    hint: expect.stringContaining("return()"),
  });

  function iterating(database: library.Index["database"]): Iterator<unknown> {
    const rows = database.prepare("SELECT 1 UNION ALL SELECT 2").iterate();
    rows.next();
    return rows;
  }

  test.each(["reader", "search", "database"] as const)(
    "of its %s, closing it says so, and closes nothing",
    (which) => {
      const { index, root } = filled();
      library.searchEntries(index, "tide");
      const rows = iterating(index[which]);
      expect(() => index.close()).toThrow(stillRead);
      rows.return?.();
      expect(library.searchEntries(index, "tide").total).toBe(1);
      expect(library.syncAll(index, [root]).complete).toBe(true);
      index.close();
      expect(() => library.listSessions(index)).toThrow("closed");
    },
  );

  test.each(["listSessions", "readStatus", "syncAll", "purge"])(
    "%s says so where that is in its way",
    (name) => {
      const { index } = filled();
      const rows = iterating(index.database);
      expect(() => ({ ...QUESTIONS, ...WORKS })[name]?.(index)).toThrow(stillRead);
      rows.return?.();
      expect(() => ({ ...QUESTIONS, ...WORKS })[name]?.(index)).not.toThrow();
    },
  );
});

test("a run into an index that was closed meanwhile says so", () => {
  const { index, root } = filled();
  const run = new library.SyncRun(index, [root]);
  index.close();
  for (const ask of [() => run.step(), () => run.result()]) {
    expect(ask).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining("closed") }),
    );
  }
});

test("work ends at once where its time is up", () => {
  const { index, root } = filled();
  session({ id: "other" }).user("Low tide?").writeBelow(root);
  expect(library.syncAll(index, [root], { deadlineMs: 0 }).complete).toBe(false);
  library.syncAll(index, [root], { rebuild: true });
  expect(library.feedSearch(index, { deadlineMs: 0 }).complete).toBe(false);
  expect(library.purge(index, { deadlineMs: 0 })).toBe(false);
});

test("a closed index opens no database anew", () => {
  const { index } = filled();
  index.close();
  expect(() => index.search).toThrow("the index was closed");
  expect(() => index.reader).toThrow("the index was closed");
  expect(() => index.isCurrent()).toThrow("the index was closed");
  expect(() => index.assertCurrent()).toThrow("the index was closed");
});

test.each(Object.entries(WORKS))("%s into an index opened to be read only says so", (_name, work) => {
  const { folder } = filled();
  const reading = opened(indexIn(folder), { readonly: true });
  expect(() => work(reading)).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining("read-only") }),
  );
});

describe("rows that have no full text", () => {
  function rowsOnly(): { root: string; location: library.IndexLocation } {
    const [root, location] = [tempDir(), indexIn(tempDir())];
    session().user("Where is the tide table?").assistant().writeBelow(root);
    const index = opened(location);
    library.syncAll(index, [root]);
    index.close();
    return { root, location };
  }

  test.each(Object.entries(QUESTIONS))("are asked with %s by whoever only reads", (_name, ask) => {
    const { location } = rowsOnly();
    expect(() => ask(opened(location, { readonly: true }))).not.toThrow();
    expect(existsSync(location.searchPath)).toBe(false);
  });

  test("are not found by their words yet, which the answer says, but exactly", () => {
    const reading = opened(rowsOnly().location, { readonly: true });
    expect(library.searchEntries(reading, "tide")).toMatchObject({ total: 0, behind: 2, hits: [] });
    expect(library.searchEntries(reading, "tide", { substring: true })).toMatchObject({
      total: 1,
      behind: 0,
    });
    expect(library.readStatus(reading, { now: 0 }).index.behind).toBe(2);
    expect(() => library.searchEntries(reading, "-tide")).toThrow(expect.objectContaining({ code: "usage" }));
  });

  test("need a purge where some were removed", () => {
    const { root, location } = rowsOnly();
    const reading = opened(location, { readonly: true });
    expect(library.needsPurge(reading)).toBe(false);
    for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
    library.syncAll(opened(location), [root], { rebuild: true });
    expect(library.needsPurge(reading)).toBe(true);
  });

  test("are found by their words once there is one, also by who has asked before", () => {
    const { location } = rowsOnly();
    const reading = opened(location, { readonly: true });
    expect(library.searchEntries(reading, "tide").total).toBe(0);
    library.feedSearch(opened(location));
    expect(library.searchEntries(reading, "tide")).toMatchObject({ total: 1, behind: 0 });
  });

  test.skipIf(process.platform === "win32")("are asked in a folder where no full text can be made", () => {
    const [root, folder] = [tempDir(), tempDir()];
    session().user("Where is the tide table?").assistant().writeBelow(root);
    chmodSync(root, 0o755);
    chmodSync(folder, 0o777);
    // Open to the end: SQLite can read there while the files of the log stand beside the index.
    asNobody(() => library.syncAll(opened(indexIn(folder)), [root]));
    chmodSync(folder, 0o555);
    asNobody(() => {
      const index = opened(indexIn(folder));
      expect(library.searchEntries(index, "tide")).toMatchObject({ total: 0, behind: 2 });
      expect(library.needsPurge(index)).toBe(false);
      expect(() => library.feedSearch(index)).toThrow(expect.objectContaining({ code: "io" }));
    });
  });
});

/** How many sessions, or what is found in them, there are below roots. */
const SCOPED: Record<string, (index: library.Index, roots: string[]) => number> = {
  listSessions: (index, roots) => library.listSessions(index, { roots }).total,
  searchEntries: (index, roots) => library.searchEntries(index, "tide", { roots }).total,
  substring: (index, roots) => library.searchEntries(index, "tide t", { roots, substring: true }).total,
  sumUsage: (index, roots) =>
    library.sumUsage(index, { by: "model", timezone: "UTC", roots }).totals.requests,
  findWaste: (index, roots) => library.findWaste(index, { timezone: "UTC", roots }).totals.requests,
  listLabels: (index, roots) => library.listLabels(index, { roots }).length,
  findTouches: (index, roots) => library.findTouches(index, "/a", "/a", { home: "/h", roots }).touches.length,
  readStatus: (index, roots) => library.readStatus(index, { now: 0, roots }).sessions,
};

test.each(Object.entries(SCOPED))(
  "%s is about the roots it is given, which may be written with `..`, doubled separators and one at the end",
  (_name, ask) => {
    const { root, index } = filled();
    expect(ask(index, [`${root}/nowhere/..//`])).toBe(1);
    expect(ask(index, [`${root}/nowhere`])).toBe(0);
  },
);

test("a session is named among those below the roots, however these are written", () => {
  const { root, index } = filled();
  const { id } = library.resolveSession(index, "latest", { roots: [`${root}/nowhere/..//`] });
  expect(id).toBe(library.listSessions(index).sessions[0]?.id);
  expect(() => library.resolveSession(index, "latest", { roots: [`${root}/nowhere`] })).toThrow(
    expect.objectContaining({ code: "not_found" }),
  );
});

test("a sync is of roots that may be written with `..` and doubled separators", () => {
  const { root, index } = filled();
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  session({ id: "other" }).user("Low tide?").writeBelow(root);
  expect(library.syncAll(index, [`${root}/nowhere/..//`]).files).toMatchObject({ seen: 1, indexed: 1 });
  expect(library.listSessions(index).sessions.map(({ id }) => id)).toEqual(["other"]);
});

test("two openings in one process answer the same, and see what either takes in", () => {
  const { root, folder, index } = filled();
  const other = opened(indexIn(folder));
  session({ id: "other" }).user("At what time is high tide?").writeBelow(root);
  library.syncAll(other, [root]);
  library.feedSearch(other);
  for (const each of [index, other]) expect(library.searchEntries(each, "tide").total).toBe(2);
  other.close();
  expect(library.listSessions(index).total).toBe(2);
});

test("who writes while another does is told that it is busy, as an error of ours", () => {
  const { root, folder } = filled();
  const [first, second] = [opened(indexIn(folder)), opened(indexIn(folder), { busyTimeoutMs: 1 })];
  session({ id: "other" }).user("At what time is high tide?").writeBelow(root);
  first.database
    .transaction(() => {
      expect(() => library.syncAll(second, [root])).toThrow(
        expect.objectContaining({ name: "SessionDbError", code: "busy" }),
      );
    })
    .immediate();
  expect(library.syncAll(second, [root]).files.indexed).toBe(1);
});

test("an error of a callback comes out as it was thrown", () => {
  const { index, root } = filled();
  const mine = Object.assign(new Error("no more"), { code: "EPIPE" });
  const onProgress = () => {
    throw mine;
  };
  expect(() => library.syncAll(index, [root], { onProgress })).toThrow(mine);
});

/** Closes the index as soon as it is called. */
const CLOSING = ["onProgress", "isExcluded", "now"].map((name) => ({
  name,
  closing: (index: library.Index): library.SyncRunOptions => ({
    [name]: () => {
      index.close();
      return name === "now" ? Date.now() : false;
    },
  }),
}));

test.each(CLOSING)("a sync whose $name closes the index says that it was closed", ({ closing }) => {
  const { root, folder } = filled();
  const stopped = expect.objectContaining({ code: "usage", message: expect.stringContaining("closed") });
  const index = opened(indexIn(folder));
  expect(() => library.syncAll(index, [root], { rebuild: true, ...closing(index) })).toThrow(stopped);
  const other = opened(indexIn(folder));
  expect(() => {
    const run = new library.SyncRun(other, [root], { rebuild: true, ...closing(other) });
    while (run.step());
    run.result();
  }).toThrow(stopped);
});

test("a full text whose progress closes the index says that it was closed, and another one goes on", () => {
  const { root, folder, index } = filled();
  library.syncAll(index, [root], { rebuild: true });
  const onProgress = () => index.close();
  expect(() => library.feedSearch(index, { onProgress })).toThrow(
    expect.objectContaining({ code: "usage", message: expect.stringContaining("closed") }),
  );
  const other = opened(indexIn(folder));
  expect(library.feedSearch(other)).toMatchObject({ complete: true, behind: 0 });
});

test("an index whose files are deleted answers from what was there, and says that it is replaced", () => {
  const { index, folder } = filled();
  library.searchEntries(index, "tide");
  rmSync(folder, { recursive: true });
  expect(index.isReplaced()).toBe(true);
  expect(library.listSessions(index).total).toBe(1);
  expect(library.searchEntries(index, "tide").total).toBe(1);
});

test.each(["indexPath", "searchPath"] as const)(
  "an index without its %s, of which nothing was searched yet, says that it has to be opened again",
  (which) => {
    const { index } = filled();
    rmSync(index.location[which]);
    expect(index.isReplaced()).toBe(true);
    const hint = expect.stringContaining("reopen the index");
    expect(() => library.searchEntries(index, "tide")).toThrow(expect.objectContaining({ code: "io", hint }));
    expect(library.listSessions(index).total).toBe(1);
  },
);

test("an index that is made anew beside an open one is read by it", () => {
  const { index, folder, root } = filled();
  const other = opened(indexIn(folder));
  library.syncAll(other, [root], { rebuild: true });
  library.feedSearch(other);
  expect(library.searchEntries(index, "tide")).toMatchObject({ total: 1, behind: 0 });
});

test.skipIf(process.platform === "win32")(
  "D15: where nothing can be written, SQLite cannot read a log either: an error says where",
  () => {
    const { index, folder } = filled();
    // The last to close takes the log away.
    index.close();
    chmodSync(folder, 0o555);
    const message = expect.stringContaining(indexIn(folder).indexPath);
    asNobody(() => {
      expect(() => library.openIndex(indexIn(folder), { readonly: true })).toThrow(
        expect.objectContaining({ name: "SessionDbError", code: "io", message }),
      );
    });
  },
);

test("a worker thread opens the index for itself", async () => {
  const { folder } = filled();
  const worker = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
     import(workerData.library).then(({ openIndex, searchEntries }) => {
       const index = openIndex(workerData.location);
       try { parentPort.postMessage(searchEntries(index, "tide").total); } finally { index.close(); }
     });`,
    {
      eval: true,
      workerData: {
        library: join(import.meta.dirname, "../../dist/src/index.js"),
        location: indexIn(folder),
      },
    },
  );
  const [total] = await once(worker, "message");
  expect(total).toBe(1);
});
