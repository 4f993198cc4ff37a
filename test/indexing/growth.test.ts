import { appendFileSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { STEP_BYTES } from "../../src/files/lines.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { removeFiles } from "../../src/indexing/remove-files.ts";
import { SearchFeeder } from "../../src/search/feed/feeder.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { bytesOfCounting, bytesSoFar, countsBytes } from "../helpers/process-io.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { LATER, Store, syncFile } from "./store.ts";

/*
 * What one append costs must not depend on how much there is already. Counted are statements and bytes, which are the
 * same on every machine, not seconds. B-trees grow by a level now and then: that is what the margins are for.
 */

/** A store with as many sessions, each of as many turns, indexed and searchable. */
function filledStore(sessions: number, turns: number): Store {
  const store = new Store();
  for (let at = 0; at < sessions; at++) {
    const builder = session({ id: `s${String(at).padStart(6, "0")}` });
    for (let turn = 0; turn < turns; turn++) builder.user(`question ${turn} of ${at}`).assistant();
    builder.write(store.path(`${at}.jsonl`));
  }
  store.sync();
  store.feed();
  return store;
}

interface Cost {
  statements: number;
  read: number;
  written: number;
}

/** What it takes to bring one appended line into rows and full text. */
function costOfOneLine(store: Store): Cost {
  const path = store.path("0.jsonl");
  const { index } = store;
  const ingest = new FileIndexer(index.database, { now: LATER });
  const feeder = new SearchFeeder(index);
  const takeIn = (id: string): void => {
    const message = { role: "user", content: `word${id}`, timestamp: 1 };
    appendFileSync(path, `${JSON.stringify({ type: "message", id, parentId: null, message })}\n`);
    expect(syncFile(ingest, path).outcome).toBe("indexed");
    expect(feeder.run({ merge: { pages: 64, steps: 1 } }).complete).toBe(true);
  };
  takeIn("warm0001");
  const statements = countStatements(index.database);
  const before = bytesSoFar();
  takeIn("cold0001");
  const after = bytesSoFar();
  return {
    statements: statements.stop(),
    read: after.read - before.read,
    written: after.written - before.written,
  };
}

type Runner = "run" | "get" | "all" | "iterate";

/** Counts every execution of a prepared statement, of whatever database. */
function countStatements(database: { prepare(sql: string): object }): { stop(): number } {
  const prototype: Record<Runner, (...values: unknown[]) => unknown> = Object.getPrototypeOf(
    database.prepare("SELECT 1"),
  );
  let count = 0;
  const originals = (["run", "get", "all", "iterate"] as const).map(
    (name) => [name, prototype[name]] as const,
  );
  for (const [name, original] of originals) {
    prototype[name] = function (this: object, ...values: unknown[]): unknown {
      count++;
      return original.apply(this, values);
    };
  }
  return {
    stop() {
      for (const [name, original] of originals) prototype[name] = original;
      return count;
    },
  };
}

test.skipIf(!countsBytes).each([
  { what: "sessions", sizes: [4, 16, 64].map((sessions) => ({ sessions, turns: 10 })) },
  { what: "entries of the session", sizes: [25, 100, 400].map((turns) => ({ sessions: 2, turns })) },
])("taking in one line costs the same at once, four and sixteen times the $what", ({ sizes }) => {
  const costs = sizes.map(({ sessions, turns }) => costOfOneLine(filledStore(sessions, turns)));
  const [small, , large] = costs as [Cost, Cost, Cost];
  expect(costs.map(({ statements }) => statements)).toEqual(costs.map(() => small.statements));
  // A page more here and there, and up to 256 KB of a small file are compared whole.
  expect(large.read).toBeLessThan(small.read + 300_000);
  expect(large.written).toBeLessThan(small.written + 100_000);
});

/** Bytes read to take a session of ten turns out of rows and full text, next to one of so many turns. */
function bytesToForget(turns: number): number {
  const store = new Store();
  const large = session({ id: "large" });
  for (let turn = 0; turn < turns; turn++) large.user(`question ${turn}`).assistant();
  large.write(store.path("large.jsonl"));
  const small = session({ id: "small" });
  for (let turn = 0; turn < 10; turn++) small.user(`question ${turn}`).assistant();
  const path = small.write(store.path("small.jsonl"));
  store.sync();
  store.feed();
  // Opened anew, so that every page that is looked at is read.
  store.close();
  const before = bytesSoFar();
  removeFiles(store.index, [path]);
  store.feed({ merge: { pages: 64, steps: 0 } });
  return bytesSoFar().read - before.read;
}

test.skipIf(!countsBytes)("forgetting a session costs the same, however many entries others have", () => {
  const [small, large] = [bytesToForget(100), bytesToForget(6000)];
  // What the full text keeps of 12,000 entries alone is twice as much.
  expect(large).toBeLessThan(small + 60_000);
});

/** Bytes read to take in one more fork of a session that has so many, and those to forget it. */
function bytesOfOneFork(forks: number): [added: number, forgotten: number] {
  const store = new Store();
  const original = session({ id: "original" });
  for (let turn = 0; turn < 50; turn++) original.user(`question ${turn}`).assistant();
  const fork = (at: number): string => {
    const timestamp = new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString();
    return original.fork({ id: `fork${at}`, timestamp }).write(store.path(`${at}.jsonl`));
  };
  for (let at = 0; at < forks; at++) fork(at);
  store.sync();
  const bytesOf = (work: () => void): number => {
    // Opened anew, so that every page that is looked at is read.
    store.close();
    const before = bytesSoFar();
    work();
    return bytesSoFar().read - before.read;
  };
  const path = fork(forks);
  const ingest = () => new FileIndexer(store.index.database, { now: LATER });
  const added = bytesOf(() => expect(syncFile(ingest(), path).outcome).toBe("indexed"));
  const forgotten = bytesOf(() => removeFiles(store.index, [path]));
  expect(store.column("SELECT sum(counted) FROM usage")).toEqual([50]);
  return [added, forgotten];
}

test.skipIf(!countsBytes)("a fork costs the same, however many there are of the same session", () => {
  const [small, large] = [bytesOfOneFork(20), bytesOfOneFork(320)];
  // For each bill a page or two of a larger index; to look at all forks would take ten times as much.
  for (const [at, few] of small.entries()) expect(large[at]).toBeLessThan(few + 100 * 4096);
});

/** Rows written to take in a session of 24 requests, in steps of as many of them, after its fork. */
function rowsOfOriginal(requestsInStep: number): number {
  const store = new Store();
  const original = session({ id: "original", timestamp: "2026-01-01T00:00:00.000Z" });
  const data = "x".repeat(STEP_BYTES / requestsInStep);
  for (let at = 0; at < 24; at++) {
    const timestamp = new Date(Date.UTC(2026, 0, 1, at)).toISOString();
    original.user([{ type: "image", mimeType: "image/png", data }]).assistant({}, { timestamp });
  }
  const fork = original.fork({ id: "fork" }).write(store.path("a-fork.jsonl"));
  const path = original.write(store.path("b-original.jsonl"));
  const ingest = new FileIndexer(store.index.database, { now: LATER });
  syncFile(ingest, fork);
  const [before] = store.column("SELECT total_changes()");
  syncFile(ingest, path);
  const [after] = store.column("SELECT total_changes()");
  expect(
    store.column("SELECT DISTINCT f.path FROM usage u JOIN files f ON f.id = u.file_id WHERE counted = 1"),
  ).toEqual([path]);
  return Number(after) - Number(before);
}

test("a session that is read after its fork has the fork's sums made anew once, in however many steps", () => {
  const [few, many] = [rowsOfOriginal(12), rowsOfOriginal(3)];
  // For each of the six steps more those of file, session and keys, and those of requests that do not count at once; the
  // fork's sums are 50 rows.
  expect(many).toBeLessThan(few + 6 * 5 + 24);
});

/** Bytes read to note that a folder of so many copies, as `cp` makes them, has another name. */
function bytesOfRename(copies: number): number {
  const store = new Store();
  mkdirSync(store.path("before"));
  const original = session({ id: "original" });
  for (let turn = 0; turn < 20; turn++) original.user(`question ${turn}`).assistant();
  for (let at = 0; at < copies; at++)
    original.write(store.path(`before/${String(at).padStart(4, "0")}.jsonl`));
  store.sync();
  renameSync(store.path("before"), store.path("after"));
  // With next to nothing in memory, so that what is read is in proportion to the rows that are looked at.
  store.index.database.pragma("cache_size = 8");
  const before = bytesSoFar().read;
  store.sync();
  const read = bytesSoFar().read - before;
  expect(
    store.column("SELECT f.path FROM usage u JOIN files f ON f.id = u.file_id WHERE counted = 1"),
  ).toEqual(Array.from({ length: 20 }, () => store.path("after/0000.jsonl")));
  return read;
}

test.skipIf(!countsBytes)(
  "each copy in a folder that is renamed costs the same, however many there are",
  () => {
    const [few, many] = [bytesOfRename(20), bytesOfRename(60)];
    // Nine times as much if each of them looked at all the others.
    expect(many).toBeLessThan(5 * few);
  },
);

/** Bytes read to take in one more turn of a session in which an id stands twice. */
function bytesOfDamagedTurn(turns: number): number {
  const store = new Store();
  const built = session().user("first", { id: "twice000" }).user("second", { id: "twice000" });
  for (let turn = 0; turn < turns; turn++) built.user(`question ${turn}`).assistant();
  const path = built.write(store.path("damaged.jsonl"));
  const ingest = new FileIndexer(store.index.database, { now: LATER });
  syncFile(ingest, path);
  built.user("once more").assistant().write(path);
  // Up to 256 KB of the file are compared whole.
  const size = Math.min(256 * 1024, readFileSync(path).length);
  // With next to nothing in memory, so that what is read is in proportion to the rows that are looked at.
  store.index.database.pragma("cache_size = 8");
  const before = bytesSoFar().read;
  syncFile(ingest, path);
  expect(store.rows("SELECT branch_count, walk_by_text FROM sessions")).toEqual([[1, 1]]);
  return bytesSoFar().read - before - size;
}

test.skipIf(!countsBytes)(
  "a turn of a session in which an id stands twice costs the same, however long it is",
  () => {
    const [short, long] = [bytesOfDamagedTurn(100), bytesOfDamagedTurn(3000)];
    // A page more here and there.
    expect(long).toBeLessThan(short + 50 * 4096);
  },
);

test.skipIf(!countsBytes)(
  "SessionManager's append writes its line and reads nothing but the end of the one before, however long the session",
  () => {
    for (const turns of [10, 40, 160]) {
      const folder = tempDir();
      mkdirSync(join(folder, "project"));
      const manager = SessionManager.create(join(folder, "project"), folder);
      const said = (text: string) =>
        manager.appendMessage({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
      for (let turn = 0; turn < turns; turn++) said(`turn ${turn}`);
      const file = manager.getSessionFile() ?? "";
      const size = readFileSync(file).length;
      const before = bytesSoFar();
      said("once more");
      const after = bytesSoFar();
      expect(after.written - before.written).toBe(readFileSync(file).length - size);
      // By the bytes that were written last it tells a file that was written anew.
      expect(after.read - before.read).toBeLessThanOrEqual(2 * bytesOfCounting() + 64);
    }
  },
);
