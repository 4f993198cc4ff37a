import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createConnection, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { FreshnessState } from "../../../daemon/components/freshness.ts";
import { FreshnessServer } from "../../../daemon/components/freshness-server.ts";
import type { Intervals } from "../../../daemon/components/scheduler.ts";
import type { Log } from "../../../daemon/control/log.ts";
import { isKeptUpToDate, socketPathOf, strangerAt } from "../../../src/indexing/freshness-client.ts";
import { searchEntries } from "../../../src/search/search.ts";
import type { IndexLocation } from "../../../src/store/location.ts";
import { asNobody, NOBODY } from "../../files/as-nobody.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { indexIn } from "../../helpers/open-index.ts";
import { PATIENCE_MS, pollUntil } from "../../helpers/poll-until.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { Store } from "../../indexing/store.ts";
import { deaf, HOUR, NO_SWEEPS, Running } from "../running.ts";

const RUNTIME_DIR = process.env.XDG_RUNTIME_DIR;
const LINUX = process.platform === "linux";

async function daemonOf(store: Store): Promise<Running> {
  return new Running(store, { intervals: NO_SWEEPS }).answering();
}

/** One that no machine is too slow for: who asks it waits for whatever is being read. */
async function patientDaemonOf(store: Store, others: Partial<Intervals> = {}): Promise<Running> {
  const intervals = { ...NO_SWEEPS, readingMs: HOUR, ...others };
  return new Running(store, { intervals }).answering();
}

function isVouchedFor(
  store: Store,
  question: { roots?: string[]; exclude?: string[] } = {},
): Promise<boolean> {
  return isKeptUpToDate(indexIn(store.indexFolder), {
    roots: [store.root],
    exclude: [],
    runtimeDir: RUNTIME_DIR,
    patienceMs: PATIENCE_MS,
    ...question,
  });
}

/** Path and size of each session file, as the index has it. */
function indexed(store: Store): unknown[][] {
  return store.rows("SELECT path, size FROM files ORDER BY path");
}

/** The same, as it is. */
function there(store: Store): unknown[][] {
  return readdirSync(store.root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => [store.path(name), statSync(store.path(name)).size])
    .sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
}

/** Where something is being looked at, or the machine has other things to do, he who asks is told to look for himself. */
async function comesToVouch(store: Store): Promise<void> {
  await pollUntil(() => isVouchedFor(store), { what: "a daemon that vouches" });
}

describe.runIf(LINUX)("a daemon vouches for the index", () => {
  test("right after an append, each time", async () => {
    const store = new Store();
    const built = session({ id: "a" }).user("x");
    const path = store.write("a.jsonl", built.bytes());
    // Nor does it take a pause of the machine for a jump of the clock.
    await patientDaemonOf(store, { tickMs: HOUR });
    for (let round = 0; round < 100; round++) {
      appendFileSync(path, `${built.user(`line ${round}`).lines().at(-1)}\n`);
      expect([round, await isVouchedFor(store)]).toEqual([round, true]);
      expect(store.column("SELECT count(*) FROM entries")).toEqual([round + 2]);
    }
  });

  /** What may happen to a store, by itself or by people. */
  const deeds: Record<string, (store: Store, nth: number) => void> = {
    append: (store) => appendFileSync(store.path("p/a.jsonl"), '{"type":"custom","id":"x"}\n'),
    add: (store, nth) => writeFileSync(store.path(`p/n${nth}.jsonl`), session({ id: `n${nth}` }).bytes()),
    addFolder: (store, nth) => {
      mkdirSync(store.path(`f${nth}/deep`), { recursive: true });
      writeFileSync(store.path(`f${nth}/deep/x.jsonl`), session({ id: `f${nth}` }).bytes());
    },
    rename: (store, nth) => {
      const [, second] = there(store);
      if (second) renameSync(String(second[0]), store.path(`moved${nth}.jsonl`));
    },
    remove: (store) => {
      const last = there(store).at(-1);
      if (last && last[0] !== store.path("p/a.jsonl")) rmSync(String(last[0]));
    },
    rewrite: (store, nth) => writeFileSync(store.path("p/a.jsonl"), session({ id: `a${nth}` }).bytes()),
    cut: (store) => truncateSync(store.path("p/a.jsonl"), 40),
    addFolderNamedAsFile: (store, nth) => {
      mkdirSync(store.path(`p/f${nth}.json`));
      writeFileSync(store.path(`p/f${nth}.json/x.jsonl`), session({ id: `f${nth}` }).bytes());
    },
    nothing: () => undefined,
  };

  test("only when it has everything, whatever happened just before", async () => {
    const names = fc.array(fc.constantFrom(...Object.keys(deeds)), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(names, async (chosen) => {
        const store = new Store(tempDir());
        mkdirSync(store.path("p"));
        writeFileSync(store.path("p/a.jsonl"), session({ id: "a" }).bytes());
        const running = await patientDaemonOf(store);
        for (const [nth, name] of chosen.entries()) {
          // Names of the deed before may be gone.
          mkdirSync(store.path("p"), { recursive: true });
          if (name !== "nothing" && there(store).every(([path]) => path !== store.path("p/a.jsonl"))) {
            writeFileSync(store.path("p/a.jsonl"), session({ id: "again" }).bytes());
          }
          deeds[name]?.(store, nth);
          if (!(await isVouchedFor(store))) continue;
          expect(indexed(store)).toEqual(there(store));
        }
        await comesToVouch(store);
        expect(indexed(store)).toEqual(there(store));
        await running.stop();
        store.close();
      }),
      { numRuns: runs(25) },
    );
  });

  test("of its own roots and exclusions only", async () => {
    const store = new Store();
    await daemonOf(store);
    const elsewhere = new Store();
    expect(await isVouchedFor(store, { roots: [store.root, elsewhere.root] })).toBe(false);
    expect(await isVouchedFor(store, { exclude: ["/some/where"] })).toBe(false);
    expect(await isVouchedFor(elsewhere)).toBe(false);
    await comesToVouch(store);
  });

  test.each([
    ["a hard link", (file: string, name: string) => linkSync(file, name)],
    ["a symbolic link", (file: string, name: string) => symlinkSync(file, name)],
  ])("not where %s gives a file a name that is not watched", async (_what, link) => {
    const store = new Store();
    const outside = join(tempDir(), "outside.jsonl");
    writeFileSync(outside, session({ id: "a" }).bytes());
    await daemonOf(store);
    link(outside, store.path("a.jsonl"));
    expect(await isVouchedFor(store)).toBe(false);
    await pollUntil(() => indexed(store).length === 1, { what: "the linked file" });
    expect(await isVouchedFor(store)).toBe(false);
    rmSync(store.path("a.jsonl"));
    await comesToVouch(store);
    expect(indexed(store)).toEqual([]);
  });

  test("not for another index of the same folder", async () => {
    const store = new Store();
    const { daemon } = await daemonOf(store);
    await comesToVouch(store);
    const indexPath = join(store.indexFolder, "another.db");
    expect(await daemon.isUpToDate({ indexPath, roots: [store.root], exclude: [] })).toBe(false);
  });

  test("B16: not while it keeps what the index has of many files that are gone", async () => {
    const store = new Store();
    const files = Array.from({ length: 30 }, (_, nth) =>
      store.write(`${nth}.jsonl`, session({ id: `${nth}` }).bytes()),
    );
    const running = await daemonOf(store);
    const before = running.sweeps;
    for (const path of files.slice(0, 20)) rmSync(path);
    await pollUntil(() => running.sweeps > before, { what: "a look at everything" });
    expect([await isVouchedFor(store), indexed(store).length]).toEqual([false, 30]);
  });

  test("not where its watcher may have missed something", async () => {
    const store = new Store();
    const { daemon } = await new Running(store, { ...deaf(), intervals: NO_SWEEPS }).ready();
    const { indexPath } = indexIn(store.indexFolder);
    expect(await daemon.isUpToDate({ indexPath, roots: [store.root], exclude: [] })).toBe(false);
  });

  test("not after others have written to the index, until it has looked at everything again", async () => {
    const store = new Store();
    store.write("a.jsonl", session({ id: "a" }).bytes());
    const running = await daemonOf(store);
    const { sweeps } = running;
    store.index.database.exec("DELETE FROM files");
    expect(await isVouchedFor(store)).toBe(false);
    await comesToVouch(store);
    expect(indexed(store)).toHaveLength(1);
    // More than one where the clock seemed to jump: the machine had other things to do.
    expect(running.sweeps).toBeGreaterThan(sweeps);
  });

  test("not for one that has taken the place of its own", async () => {
    const store = new Store();
    store.write("a.jsonl", session({ id: "a" }).bytes());
    // It looks for that every two seconds; here it never does.
    await new Running(store, { intervals: { ...NO_SWEEPS, tickMs: HOUR } }).answering();
    for (const name of readdirSync(store.indexFolder)) {
      if (name.startsWith("index")) renameSync(join(store.indexFolder, name), join(tempDir(), name));
    }
    store.close();
    expect(store.rows("SELECT path FROM files")).toEqual([]);
    expect(await isVouchedFor(store)).toBe(false);
  });

  test("not where its own folder cannot be looked at, which ends nobody", async () => {
    const store = new Store();
    const { daemon } = await new Running(store, { intervals: { ...NO_SWEEPS, tickMs: HOUR } }).answering();
    const away = `${store.indexFolder}-away`;
    renameSync(store.indexFolder, away);
    symlinkSync(store.indexFolder, store.indexFolder);
    const { indexPath } = indexIn(store.indexFolder);
    expect(await daemon.isUpToDate({ indexPath, roots: [store.root], exclude: [] })).toBe(false);
    rmSync(store.indexFolder);
    renameSync(away, store.indexFolder);
  });

  test("not for what lies where its root was, when a folder above it was replaced", async () => {
    const above = join(tempDir(), "above");
    mkdirSync(join(above, "sessions"), { recursive: true });
    const store = new Store(join(above, "sessions"));
    store.write("a.jsonl", session({ id: "a" }).bytes());
    await new Running(store, { intervals: { ...NO_SWEEPS, tickMs: HOUR } }).answering();
    await comesToVouch(store);
    // Nobody is told of this: only the root and what is below it are watched.
    renameSync(above, `${above}-before`);
    mkdirSync(store.root, { recursive: true });
    store.write("b.jsonl", session({ id: "b" }).bytes());
    expect(await isVouchedFor(store)).toBe(false);
    await comesToVouch(store);
    expect(indexed(store)).toEqual(there(store));
  });
});

test("nobody vouches where no daemon is, a dead one has left its socket, or there is no place for one", async () => {
  const store = new Store();
  expect(await isVouchedFor(store)).toBe(false);
  const path = socketPathOf(indexIn(store.indexFolder), RUNTIME_DIR);
  if (path !== null) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
  }
  expect(await isVouchedFor(store)).toBe(false);
  for (const runtimeDir of [undefined, "", "not/absolute"]) {
    expect(socketPathOf(indexIn(store.indexFolder), runtimeDir)).toBeNull();
  }
});

test.runIf(LINUX)("what is no question is not answered, and harms nobody", async () => {
  const location = indexIn(tempDir());
  const server = await FreshnessServer.open({ location, runtimeDir: RUNTIME_DIR }, () =>
    Promise.resolve(true),
  );
  const answers = ["", "{", "[]", '{"indexPath":1}', '{"indexPath":"x","roots":"y","exclude":[]}'].map(
    (question) =>
      new Promise<string>((resolve) => {
        let heard = "";
        const socket = asker(location);
        socket.on("data", (data) => {
          heard += data.toString();
        });
        socket.on("end", () => resolve(heard));
        socket.end(question);
      }),
  );
  expect(await Promise.all(answers)).toEqual(["", "", "", "", ""]);
  const question = { roots: [], exclude: [], runtimeDir: RUNTIME_DIR };
  await pollUntil(() => isKeptUpToDate(location, question), { what: "an answer" });
  await server?.close();
  expect(await isKeptUpToDate(location, question)).toBe(false);
});

test.runIf(LINUX)("a question that cannot be answered is noted, and ends nobody", async () => {
  const location = indexIn(tempDir());
  const events: string[] = [];
  const log = { write: (event: string) => void events.push(event) };
  const server = await FreshnessServer.open({ location, runtimeDir: RUNTIME_DIR, log }, () =>
    Promise.reject(new Error("a bug")),
  );
  const question = { roots: [], exclude: [], runtimeDir: RUNTIME_DIR, patienceMs: PATIENCE_MS };
  expect([await isKeptUpToDate(location, question), events]).toEqual([false, ["questionFailed"]]);
  await server?.close();
});

test.runIf(LINUX)("one that ends late leaves alone the socket of its successor", async () => {
  const location = indexIn(tempDir());
  const open = () => FreshnessServer.open({ location, runtimeDir: RUNTIME_DIR }, async () => true);
  const [late, successor] = [await open(), await open()];
  await late?.close();
  const isKept = () => isKeptUpToDate(location, { roots: [], exclude: [], runtimeDir: RUNTIME_DIR });
  await pollUntil(isKept, { what: "an answer" });
  await successor?.close();
  const path = socketPathOf(location, RUNTIME_DIR) ?? "";
  expect([await isKept(), existsSync(path)]).toEqual([false, false]);
});

/** Somebody who asks what no program of ours asks. */
function asker(location: IndexLocation): Socket {
  return createConnection(socketPathOf(location, RUNTIME_DIR) ?? "");
}

test.runIf(LINUX)("only its owner can reach the folder of its socket", async () => {
  const location = indexIn(tempDir());
  const server = await FreshnessServer.open({ location, runtimeDir: RUNTIME_DIR }, async () => true);
  const path = socketPathOf(location, RUNTIME_DIR) ?? "";
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  await server?.close();
});

test.runIf(LINUX)("a question without an end is not listened to for ever", async () => {
  const location = indexIn(tempDir());
  const server = await FreshnessServer.open({ location, runtimeDir: RUNTIME_DIR }, async () => true);
  const socket = asker(location);
  // It may be cut off while it still talks.
  socket.on("error", () => undefined);
  socket.write("x".repeat(2 * 1024 * 1024));
  await new Promise((resolve) => socket.on("close", resolve));
  await server?.close();
});

test.runIf(LINUX)("who is gone before the answer comes harms nobody", async () => {
  const location = indexIn(tempDir());
  const answers: ((isUpToDate: boolean) => void)[] = [];
  const server = await FreshnessServer.open(
    { location, runtimeDir: RUNTIME_DIR },
    () => new Promise((resolve) => answers.push(resolve)),
  );
  const nextAnswer = () => pollUntil(() => answers.pop(), { what: "a question" });
  const question = { roots: [], exclude: [] };
  const gone = asker(location).end(JSON.stringify({ indexPath: location.indexPath, ...question }));
  const answerNobody = await nextAnswer();
  gone.destroy();
  await once(gone, "close");
  answerNobody(true);
  const asked = { ...question, runtimeDir: RUNTIME_DIR, patienceMs: PATIENCE_MS };
  const again = isKeptUpToDate(location, asked);
  (await nextAnswer())(true);
  expect(await again).toBe(true);
  await server?.close();
});

test.runIf(LINUX)("who hangs is not waited for long, unless somebody is patient", async () => {
  const location = indexIn(tempDir());
  const server = await FreshnessServer.open(
    { location, runtimeDir: RUNTIME_DIR },
    () => new Promise(() => undefined),
  );
  const question = { roots: [], exclude: [], runtimeDir: RUNTIME_DIR };
  const outcomes: string[] = [];
  const patient = isKeptUpToDate(location, { ...question, patienceMs: PATIENCE_MS });
  const both = [
    patient.then(() => outcomes.push("patient")),
    isKeptUpToDate(location, question).then((isKept) => outcomes.push(`impatient ${isKept}`)),
  ];
  await both[1];
  await server?.close();
  await Promise.all(both);
  expect(outcomes).toEqual(["impatient false", "patient"]);
});

test.runIf(LINUX)(
  "G16: hundreds of idle and slow askers are few at a time, are hung up on, and leave nothing",
  async () => {
    const location = indexIn(tempDir());
    const server = await FreshnessServer.open(
      { location, runtimeDir: RUNTIME_DIR, longestMs: 1000 },
      async () => true,
    );
    const isKept = () =>
      isKeptUpToDate(location, { roots: [], exclude: [], runtimeDir: RUNTIME_DIR, patienceMs: PATIENCE_MS });
    const question = JSON.stringify({ indexPath: location.indexPath, roots: [], exclude: [] });
    const closed = Array.from({ length: 300 }, async (_, n) => {
      const socket = asker(location);
      socket.on("error", () => undefined);
      const slow = n % 3 === 0 ? setInterval(() => socket.write(" "), 10) : undefined;
      // A third asks, and neither reads nor hangs up.
      if (n % 3 === 1) socket.end(question);
      else socket.resume();
      await new Promise((resolve) => socket.on("close", resolve));
      clearInterval(slow);
    });
    await pollUntil(isKept, { what: "a place" });
    await Promise.all(closed.filter((_, n) => n % 3 !== 1));
    await server?.close();
  },
);

test.runIf(LINUX && process.getuid?.() === 0)(
  "G15: who is not alone in a folder for sockets neither asks nor answers there",
  async () => {
    const runtimeDir = tempDir();
    const location = indexIn(tempDir());
    const events: string[] = [];
    const log = { write: (event: string) => void events.push(event) } as unknown as Log;
    const open = () => FreshnessServer.open({ location, runtimeDir, log }, async () => true);
    const isKept = () =>
      isKeptUpToDate(location, { roots: [], exclude: [], runtimeDir, patienceMs: PATIENCE_MS });
    const server = await open();
    expect(await isKept()).toBe(true);
    const path = socketPathOf(location, runtimeDir) ?? "";
    const folder = dirname(path);
    const forbidden: [what: string, place: string, make: () => void, undo: () => void][] = [
      ["of another", folder, () => chownSync(folder, NOBODY, NOBODY), () => chownSync(folder, 0, 0)],
      ["for all", folder, () => chmodSync(folder, 0o777), () => chmodSync(folder, 0o700)],
      ["of another", path, () => chownSync(path, NOBODY, NOBODY), () => chownSync(path, 0, 0)],
    ];
    for (const [what, place, make, undo] of forbidden) {
      make();
      expect([what, strangerAt(path)?.path, await isKept()]).toEqual([what, place, false]);
      undo();
      expect(await isKept()).toBe(true);
    }
    await server?.close();
    chownSync(folder, NOBODY, NOBODY);
    expect([await open(), events]).toEqual([null, ["socketNotOurs"]]);
  },
);

test("a folder whose name is too long for a socket, or that is not there, has none", async () => {
  const location = indexIn(tempDir());
  for (const runtimeDir of [join(tempDir(), "x".repeat(120)), "/proc/no/such/folder"]) {
    expect(await FreshnessServer.open({ location, runtimeDir }, () => Promise.resolve(true))).toBeNull();
    expect(await isKeptUpToDate(location, { roots: [], exclude: [], runtimeDir })).toBe(false);
  }
});

test("a folder for sockets that is another user's, or no folder, keeps nobody from looking for himself", async () => {
  const location = indexIn(tempDir());
  const isKept = (runtimeDir: string) => isKeptUpToDate(location, { roots: [], exclude: [], runtimeDir });
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(await FreshnessServer.open({ location, runtimeDir: file }, () => Promise.resolve(true))).toBeNull();
  expect(await isKept(file)).toBe(false);
  const closed = tempDir();
  chmodSync(closed, 0o700);
  expect(await asNobody(() => isKept(closed))).toBe(false);
});

describe("state", () => {
  const preconditions = { commits: 1, exclude: ["a"] };

  test("begins with a sweep that saw everything, and ends with what only a sweep can tell", () => {
    const state = new FreshnessState();
    expect(state.holds()).toBe(false);
    state.begin(preconditions);
    expect(state.holds()).toBe(false);
    state.end(true);
    expect([state.holds(), state.isOutdated(preconditions)]).toEqual([true, false]);
    state.invalidate();
    expect(state.holds()).toBe(false);
    state.begin(preconditions);
    state.end(false);
    expect(state.holds()).toBe(false);
  });

  test("does not come from a sweep in which something came up that it may have missed", () => {
    const state = new FreshnessState();
    state.begin(preconditions);
    state.invalidate();
    state.end(true);
    expect(state.holds()).toBe(false);
  });

  test("is outdated by commits of others and by other exclusions", () => {
    const state = new FreshnessState();
    state.begin(preconditions);
    state.end(true);
    expect(state.isOutdated({ ...preconditions, commits: 2 })).toBe(true);
    expect(state.isOutdated({ ...preconditions, exclude: [] })).toBe(true);
  });
});

test.runIf(LINUX)("D9: a daemon whose index was damaged vouches for nothing, and goes on", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  // No tick, at which it would find out by itself.
  const { daemon } = await new Running(store, { intervals: { ...NO_SWEEPS, tickMs: HOUR } }).answering();
  // Nor is the full text still to be filled.
  await pollUntil(() => searchEntries(store.index, "apple").total === 1, { what: "the full text" });
  store.index.database.pragma("wal_checkpoint(TRUNCATE)");
  store.close();
  const { indexPath } = indexIn(store.indexFolder);
  const damage = openSync(indexPath, "r+");
  writeSync(damage, Buffer.alloc(statSync(indexPath).size, 0xa5), 0);
  closeSync(damage);
  expect([await isVouchedFor(store), daemon.report().state]).toEqual([false, "watching"]);
});
