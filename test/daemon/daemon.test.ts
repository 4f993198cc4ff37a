import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { Roots } from "../../daemon/components/roots.ts";
import type { Intervals } from "../../daemon/components/scheduler.ts";
import type { LogFields } from "../../daemon/control/log.ts";
import type { DaemonReport } from "../../daemon/control/status-file.ts";
import { Daemon } from "../../daemon/daemon.ts";
import { SessionDbError } from "../../src/errors.ts";
import type { FullText } from "../../src/search/worker-client.ts";
import { indexIn } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { Store, storeOf } from "../indexing/store.ts";
import { deaf, HASTY, HOUR, InlineFullText, NO_SWEEPS, Running } from "./running.ts";

function entryIds(store: Store): unknown[] {
  return store.column("SELECT entry_id FROM entries ORDER BY entry_id");
}

async function seesEntries(store: Store, count: number): Promise<void> {
  await pollUntil(() => entryIds(store).length === count, { what: `${count} entries` });
}

function hits(store: Store, word: string): unknown {
  return store.index.search
    .prepare("SELECT count(*) FROM entry_text WHERE entry_text MATCH ?")
    .pluck()
    .get(word);
}

test("what is there, what comes and what is appended is indexed and searchable", async () => {
  const store = new Store();
  const there = session({ id: "there" }).user("apple");
  there.write(store.path("there.jsonl"));
  await new Running(store, { intervals: NO_SWEEPS }).ready();
  await seesEntries(store, 1);
  mkdirSync(store.path("p"));
  session({ id: "new" }).user("banana").write(store.path("p/new.jsonl"));
  await seesEntries(store, 2);
  appendFileSync(store.path("there.jsonl"), `${there.user("cherry").lines().at(-1)}\n`);
  await seesEntries(store, 3);
  await pollUntil(() => ["apple", "banana", "cherry"].every((word) => hits(store, word) === 1), {
    what: "three searchable words",
  });
});

test("what was indexed before it began, and is not searchable yet, becomes so", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  store.sync();
  await new Running(store, { intervals: NO_SWEEPS }).ready();
  await pollUntil(() => hits(store, "apple") === 1, { what: "the word" });
});

test("it says when it last looked at what had changed", async () => {
  const store = new Store();
  const built = session({ id: "a" }).user("x");
  const path = store.write("a.jsonl", built.bytes());
  const { daemon } = await new Running(store, { intervals: NO_SWEEPS }).ready();
  await seesEntries(store, 1);
  const before = Date.now();
  appendFileSync(path, `${built.user("y").lines().at(-1)}\n`);
  await pollUntil(() => (daemon.report().lastSyncAt ?? 0) >= before, { what: "a later time" });
  await seesEntries(store, 2);
});

test("what takes several steps is not said to be in the index before the last of them", async () => {
  const store = new Store();
  const { watch, changed } = deaf();
  const reports: DaemonReport[] = [];
  const onTurn = (report: DaemonReport): void => void reports.push(report);
  // What takes long here looks like a jump of the clock, after which everything is looked at.
  const intervals = { ...NO_SWEEPS, tickMs: HOUR };
  const { daemon } = await new Running(store, { watch, intervals, onTurn }).ready();
  const before = daemon.report().lastSyncAt;
  const built = session({ id: "a" });
  for (let line = 0; line < 12; line++) built.user("x".repeat(1024 * 1024));
  const path = store.write("a.jsonl", built.bytes());
  changed(path);
  await pollUntil(() => daemon.report().lastSyncAt !== before && daemon.report().queue === 0, {
    what: "the end",
  });
  const saidAmidst = reports.filter(({ queue }) => queue > 0).map(({ lastSyncAt }) => lastSyncAt);
  expect(saidAmidst.length).toBeGreaterThan(1);
  expect([new Set(saidAmidst), entryIds(store).length]).toEqual([new Set([before]), 12]);
});

test("it says what is wrong with the full text, and how much is not searchable yet", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  const slices = [{ complete: false, behind: 7, added: 0, needsPurge: false }];
  const openFullText = (): FullText => {
    const full = new InlineFullText(store.indexFolder);
    const feed = async () => slices.shift() ?? Promise.reject(new SessionDbError("io", "no such disk"));
    return { feed, tidy: () => full.tidy(), purge: () => full.purge(), close: () => full.close() };
  };
  const { daemon } = await new Running(store, { intervals: NO_SWEEPS, openFullText }).ready();
  await pollUntil(() => daemon.report().degraded !== null, { what: "trouble" });
  expect(daemon.report()).toMatchObject({
    state: "degraded",
    searchQueue: 7,
    degraded: "the full text cannot be brought up to date: no such disk",
  });
});

test("D12: an index of an earlier version is filled again, and the log says why", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  store.sync();
  store.index.database.pragma("user_version = 1");
  store.close();
  const events: string[] = [];
  const log = { write: (event: string) => void events.push(event) };
  await new Running(store, { intervals: NO_SWEEPS, log }).ready();
  await seesEntries(store, 1);
  expect(events[0]).toBe("indexOutdated");
});

/** `SESSIONDB_BURSTS=2500 npx vitest run test/daemon/daemon.test.ts -t burst` for a long run. */
const BURSTS = Number(process.env.SESSIONDB_BURSTS ?? 60);

test("C6: the last line of a burst is never missed", { timeout: 120_000 + 200 * BURSTS }, async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).bytes());
  await new Running(store, { intervals: NO_SWEEPS }).ready();
  const builder = session({ id: "a" });
  let expected = 0;
  for (let burst = 0; burst < BURSTS; burst++) {
    for (let line = 0; line <= burst % 4; line++, expected++) {
      appendFileSync(store.path("a.jsonl"), `${builder.user(`w${expected}`).lines().at(-1)}\n`);
    }
    await seesEntries(store, expected);
  }
});

/** Writes a session of five entries, and gives the lines of one of four that is to take its place. */
function rewritable(store: Store): string[] {
  const [old, fresh] = [session({ id: "a" }), session({ id: "a" })];
  for (let n = 0; n < 5; n++) old.user(`old ${n}`);
  for (let n = 0; n < 4; n++) fresh.user(`new ${n}`);
  store.write("a.jsonl", old.bytes());
  return fresh.lines();
}

/** How many entries the index has while the file is emptied and written again line by line, and then has settled. */
async function countsWhileRewritten(store: Store, lines: readonly string[]): Promise<Set<number>> {
  let counts = new Set<number>();
  await pollUntil(async () => {
    counts = new Set();
    let longestPause = 0;
    let last = performance.now();
    store.write("a.jsonl", "");
    for (const line of lines) {
      appendFileSync(store.path("a.jsonl"), `${line}\n`);
      await pause(40);
      counts.add(entryIds(store).length);
      longestPause = Math.max(longestPause, performance.now() - last);
      last = performance.now();
    }
    await pollUntil(() => store.column("SELECT preview FROM entries").join().includes("new 3"), {
      what: "the new entries",
    });
    // Where the machine had other things to do for longer than a file takes to settle, it was taken in as it then was.
    return longestPause < 200;
  });
  return counts;
}

test("F12: no word of a session that was deleted is left in the files of the index", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  store.write("b.jsonl", session({ id: "b" }).user("quarkstrudel").bytes());
  const events: string[] = [];
  const log = { write: (event: string) => void events.push(event) };
  const intervals = { ...NO_SWEEPS, purgeMs: 50 };
  await new Running(store, { intervals, log }).ready();
  const files = () =>
    readdirSync(store.indexFolder).map((name) => readFileSync(join(store.indexFolder, name)));
  const holdsWord = () => files().some((bytes) => bytes.includes("quarkstrudel"));
  await pollUntil(() => hits(store, "quarkstrudel") === 1 && holdsWord(), { what: "the word" });
  store.close();
  rmSync(store.path("b.jsonl"));
  await pollUntil(() => events.includes("purged"), { what: "the purge" });
  expect(holdsWord()).toBe(false);
  expect(hits(store, "apple")).toBe(1);
});

describe("B6: a file that is being rewritten in place keeps its rows until it has settled", () => {
  test.each<[string, Partial<Intervals>]>([
    ["while the watcher tells of it", NO_SWEEPS],
    ["while everything is looked at again and again", { ...HASTY, sweepMs: 5 }],
  ])("%s", async (_when, intervals) => {
    const store = new Store();
    const lines = rewritable(store);
    await new Running(store, { intervals }).ready();
    await seesEntries(store, 5);
    const counts = await countsWhileRewritten(store, lines);
    // Never the first half of the new file alone.
    expect([...counts].every((count) => count === 4 || count === 5)).toBe(true);
    expect(store.column("SELECT count(*) FROM entries WHERE preview LIKE 'new%'")).toEqual([4]);
  });

  test("as soon as it has settled, though no more is heard of it", async () => {
    const store = new Store();
    const lines = rewritable(store);
    const { watch } = deaf();
    const running = await new Running(store, {
      watch,
      // A machine with much to do is late for short ticks, which is taken for a jump of the clock, and looked at by a sweep.
      intervals: { ...HASTY, tickMs: HOUR, sweepMs: HOUR, hotMs: 40 },
    }).ready();
    await seesEntries(store, 5);
    const { sweeps } = running;
    store.write("a.jsonl", `${lines.slice(0, 3).join("\n")}\n`);
    await seesEntries(store, 2);
    expect(running.sweeps).toBe(sweeps);
  });
});

test("C5: what is written between the first look and the end of the first sweep is not missed", async () => {
  const store = new Store();
  for (let n = 0; n < 5; n++)
    store.write(
      `${n}.jsonl`,
      session({ id: `s${n}` })
        .user("x")
        .bytes(),
    );
  let written = false;
  const onTurn = ({ progress }: DaemonReport): void => {
    if (progress === null || written) return;
    written = true;
    store.write("late.jsonl", session({ id: "late" }).user("late").bytes());
    appendFileSync(store.path("0.jsonl"), `${session({ id: "s0" }).user("x").user("y").lines().at(-1)}\n`);
  };
  await new Running(store, { intervals: NO_SWEEPS, onTurn }).ready();
  expect(written).toBe(true);
  await seesEntries(store, 7);
});

test("C5: what no hint tells of in the middle of a sweep is looked for when that has ended, and not before is all known", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
  const watcher = deaf();
  let [written, saidTooEarly] = [false, false];
  const onTurn = ({ progress, lastSyncAt, sweeps }: DaemonReport): void => {
    saidTooEarly ||= lastSyncAt !== null && sweeps === 0;
    // It has looked around, and not yet read.
    if (progress === null || written) return;
    written = true;
    store.write("late.jsonl", session({ id: "late" }).user("late").bytes());
    watcher.unclear();
    watcher.changed(store.path("a.jsonl"));
  };
  await new Running(store, { watch: watcher.watch, intervals: NO_SWEEPS, onTurn }).ready();
  await seesEntries(store, 2);
  expect([written, saidTooEarly]).toEqual([true, false]);
});

test("C7: a file that never stops growing is never far behind", async () => {
  const store = new Store();
  const built = session({ id: "a" });
  store.write("a.jsonl", built.bytes());
  await new Running(store, { intervals: NO_SWEEPS }).ready();
  let mostBehind = 0;
  for (let line = 0; line < 300; line++) {
    appendFileSync(store.path("a.jsonl"), `${built.user(`w${line}`).lines().at(-1)}\n`);
    await pause(5);
    mostBehind = Math.max(mostBehind, line + 1 - entryIds(store).length);
  }
  // In lines, half a second of them: what takes time from the daemon takes it from whoever writes, too.
  expect(mostBehind).toBeLessThan(100);
  await seesEntries(store, 300);
});

test("B3, B5: what is removed goes, what is moved keeps its rows", async () => {
  const store = new Store();
  for (const name of ["a", "b", "c"]) store.write(`${name}.jsonl`, session({ id: name }).user(name).bytes());
  await new Running(store, { intervals: NO_SWEEPS }).ready();
  await seesEntries(store, 3);
  const keyOf = () =>
    store.column("SELECT e.key FROM entries e JOIN sessions s USING (file_id) WHERE s.session_id = 'b'");
  const before = keyOf();
  rmSync(store.path("a.jsonl"));
  mkdirSync(store.path("p"));
  renameSync(store.path("b.jsonl"), store.path("p/b.jsonl"));
  await pollUntil(() => store.column("SELECT path FROM files").join().includes("p/b.jsonl"), {
    what: "the move",
  });
  await seesEntries(store, 2);
  expect(keyOf()).toEqual(before);
});

describe("what no hint tells", () => {
  test("C3: is found by a sweep", async () => {
    const store = new Store();
    await new Running(store, { ...deaf(), intervals: { ...HASTY, sweepMs: 100, hotMs: HOUR } }).ready();
    store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
    await seesEntries(store, 1);
  });

  test("C3: is found by a sweep also where the folders have been listed before", async () => {
    const store = new Store();
    const [one = "", two = ""] = ["a", "b"].map((id) => session({ id }).user("x").bytes());
    mkdirSync(store.path("old"));
    store.write("old/one.jsonl", one);
    // As if all this had been written some time ago.
    const clock = { wall: () => Date.now() + 10_000, steady: () => performance.now() };
    const { watch } = deaf({ hearsAll: true });
    const intervals = { ...HASTY, sweepMs: 100, hotMs: HOUR };
    const running = await new Running(store, { watch, clock, intervals }).ready();
    await pollUntil(() => running.sweeps >= 3, { what: "sweeps of folders that were listed" });
    store.write("old/two.jsonl", two);
    await seesEntries(store, 2);
    mkdirSync(store.path("new"));
    store.write("new/three.jsonl", session({ id: "c" }).user("x").user("y").bytes());
    await seesEntries(store, 4);
    rmSync(store.path("old/one.jsonl"));
    await seesEntries(store, 3);
  });

  test("is found sooner in files that were written within a day", async () => {
    const store = new Store();
    const built = session({ id: "a" }).user("x");
    store.write("a.jsonl", built.bytes());
    await new Running(store, { ...deaf(), intervals: { ...HASTY, sweepMs: HOUR, hotMs: 50 } }).ready();
    appendFileSync(store.path("a.jsonl"), `${built.user("y").lines().at(-1)}\n`);
    await seesEntries(store, 2);
  });

  test.each([HOUR, -HOUR])("C8: is looked for at once when the clock has jumped by %i ms", async (jump) => {
    const store = new Store();
    let offset = 0;
    const clock = { wall: () => Date.now() + offset, steady: () => performance.now() };
    await new Running(store, { ...deaf(), clock, intervals: NO_SWEEPS }).ready();
    store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
    offset = jump;
    await seesEntries(store, 1);
  });

  test("C3: is looked for when more was told at once than the system can queue, though all of one file", async () => {
    const store = new Store();
    const watcher = deaf();
    await new Running(store, { watch: watcher.watch, intervals: NO_SWEEPS }).ready();
    store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
    // No file at all would be a reason of its own to look at everything.
    mkdirSync(store.path("folder.jsonl"));
    for (let i = 0; i < 5000; i++) watcher.changed(store.path("folder.jsonl"));
    await seesEntries(store, 1);
  });

  test("C3: is looked for after a burst of more hints than can be complete", async () => {
    const store = new Store();
    const watcher = deaf();
    // What takes long here looks like a jump of the clock, which is a reason of its own to look at everything.
    const intervals = { ...NO_SWEEPS, tickMs: HOUR };
    await new Running(store, { watch: watcher.watch, intervals }).ready();
    store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
    for (let i = 0; i < 1200; i++) mkdirSync(store.path(`folder-${i}.jsonl`));
    for (let i = 0; i < 1200; i++) watcher.changed(store.path(`folder-${i}.jsonl`));
    await seesEntries(store, 1);
  });
});

test("B6: while more files are being rewritten than it keeps in mind it vouches for nothing", async () => {
  const store = new Store();
  const [long, short] = [session({ id: "a" }).user("x").user("y"), session({ id: "a" }).user("x")];
  const paths = Array.from({ length: 1001 }, (_, nth) => store.write(`${nth}.jsonl`, long.bytes()));
  store.sync();
  store.close();
  // By a clock that stands still none of them ever settles.
  const now = Date.now() + HOUR;
  for (const path of paths) {
    writeFileSync(path, short.bytes());
    utimesSync(path, now / 1000, now / 1000);
  }
  const clock = { wall: () => now, steady: () => performance.now() };
  const { watch } = deaf({ hearsAll: true });
  const intervals = { ...NO_SWEEPS, tickMs: HOUR };
  const { daemon } = await new Running(store, { watch, clock, intervals }).ready();
  const { indexPath } = indexIn(store.indexFolder);
  expect(await daemon.isUpToDate({ indexPath, roots: [store.root], exclude: [] })).toBe(false);
});

test("D6: a database that is unlinked or replaced under it is made again", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  await new Running(store, { intervals: NO_SWEEPS }).ready();
  await seesEntries(store, 1);
  store.close();
  for (const name of ["index-v1.db", "index-v1.db-wal", "index-v1.db-shm"]) {
    rmSync(join(store.indexFolder, name), { force: true });
  }
  await seesEntries(store, 1);
  await pollUntil(() => hits(store, "apple") === 1, { what: "the word in the new index" });
  expect(store.dump()).toEqual(store.rebuilt());
});

describe("a daemon that has had nothing to do for long", () => {
  /** It looks around only when there is something to wait for, or something has happened. */
  const QUIET = { ...NO_SWEEPS, quietAfterMs: 0 };
  const someTicks = () => pause(3 * Number(HASTY.tickMs));

  test("D6: notices that its index was unlinked soon after something has happened", async () => {
    const store = new Store();
    const path = store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
    const { watch, changed } = deaf();
    await new Running(store, { watch, intervals: QUIET }).ready();
    await pollUntil(() => hits(store, "apple") === 1, { what: "the word" });
    // The tick that follows the opening of the index is over, too.
    await someTicks();
    store.close();
    const indexPath = join(store.indexFolder, "index-v1.db");
    rmSync(indexPath);
    await someTicks();
    expect(existsSync(indexPath)).toBe(false);
    changed(path);
    await pollUntil(() => existsSync(indexPath), { what: "another index" });
    await seesEntries(store, 1);
  });

  test("B16: still finds a root as soon as it is there", async () => {
    const store = new Store();
    rmSync(store.root, { recursive: true });
    await new Running(store, { intervals: QUIET }).ready();
    await someTicks();
    mkdirSync(store.root);
    store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
    await seesEntries(store, 1);
  });
});

test("D6: a full text that is unlinked under it is made again, and so is what comes later", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  await new Running(store, { intervals: { ...NO_SWEEPS, tidyMs: HOUR } }).ready();
  await pollUntil(() => hits(store, "apple") === 1, { what: "the word" });
  store.close();
  for (const name of ["search-v1.db", "search-v1.db-wal", "search-v1.db-shm"]) {
    rmSync(join(store.indexFolder, name), { force: true });
  }
  await pollUntil(() => hits(store, "apple") === 1, { what: "the word in the new full text" });
  store.write("b.jsonl", session({ id: "b" }).user("banana").bytes());
  await pollUntil(() => hits(store, "banana") === 1, { what: "the next word" });
});

test.each(["index-v1.db-wal", "search-v1.db-wal"])(
  "D8: when %s is unlinked under it others see what comes later",
  async (name) => {
    const store = new Store();
    store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
    await new Running(store, { intervals: NO_SWEEPS }).ready();
    await pollUntil(() => hits(store, "apple") === 1, { what: "the word" });
    store.close();
    rmSync(join(store.indexFolder, name));
    await pollUntil(() => existsSync(join(store.indexFolder, name)), { what: "another log" });
    store.write("b.jsonl", session({ id: "b" }).user("banana").bytes());
    await seesEntries(store, 2);
    await pollUntil(() => hits(store, "banana") === 1, { what: "the next word" });
    expect(store.dump()).toEqual(store.rebuilt());
  },
);

test("D6: an index that is unlinked in the middle of a sweep is made again", async () => {
  const store = new Store();
  for (let n = 0; n < 1100; n++) store.write(`${n}.jsonl`, session({ id: `s${n}` }).bytes());
  let unlinked = false;
  const onTurn = ({ progress }: DaemonReport): void => {
    if (unlinked || !(progress !== null && progress.filesDone > 0)) return;
    unlinked = true;
    for (const name of readdirSync(store.indexFolder)) rmSync(join(store.indexFolder, name));
  };
  await new Running(store, { intervals: { ...NO_SWEEPS, tickMs: 1 }, onTurn }).ready();
  expect(unlinked).toBe(true);
  await pollUntil(() => store.column("SELECT count(*) FROM sessions")[0] === 1100, { what: "all of them" });
});

test.each(["database", "search"] as const)(
  "D11: a newer program that takes over its %s ends it, and it writes nothing more there",
  async (which) => {
    const store = new Store();
    store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const daemon = new Daemon({
      roots: new Roots([store.root]),
      location: indexIn(store.indexFolder),
      intervals: NO_SWEEPS,
      openFullText: () => new InlineFullText(store.indexFolder),
      isDiskFull: () => false,
    });
    const ended = daemon.run(controller.signal).catch((error: unknown) => error);
    await pollUntil(() => hits(store, "apple") === 1, { what: "a searchable word" });
    store.index[which].pragma("user_version = 99");
    store.write("b.jsonl", session({ id: "b" }).user("banana").bytes());
    expect(await ended).toMatchObject({ code: "index_newer" });
    expect(hits(store, "banana")).toBe(0);
    if (which === "database") expect(entryIds(store)).toHaveLength(1);
  },
);

test("D9, D24: a damaged database is put aside and made again, but not over and over", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  writeFileSync(join(store.indexFolder, "index-v1.db"), "no database, ".repeat(1000));
  const { daemon } = await new Running(store, { intervals: NO_SWEEPS }).ready();
  await seesEntries(store, 1);
  store.close();
  for (const suffix of ["-wal", "-shm"])
    rmSync(join(store.indexFolder, `index-v1.db${suffix}`), { force: true });
  rmSync(join(store.indexFolder, "index-v1.db"));
  writeFileSync(join(store.indexFolder, "index-v1.db"), "no database, ".repeat(1000));
  await pollUntil(() => daemon.report().state === "degraded", { what: "giving up for a while" });
});

test("D9: a damaged database that was put in the place of its own is put aside and made again", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  const { daemon } = await new Running(store, { intervals: NO_SWEEPS }).ready();
  await pollUntil(() => hits(store, "apple") === 1, { what: "the word" });
  store.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(store.indexFolder, `index-v1.db${suffix}`));
  writeFileSync(join(store.indexFolder, "index-v1.db"), "no database, ".repeat(1000));
  await pollUntil(() => readdirSync(store.indexFolder).includes("index-v1.db.damaged"), {
    what: "the damaged database, put aside",
  });
  await seesEntries(store, 1);
  await pollUntil(() => daemon.report().state === "watching", { what: "the end of the trouble" });
});

test("D9: a full text that is damaged inside is put aside and made again, and the rows stay", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  store.sync();
  store.feed();
  store.index.search.unsafeMode();
  store.index.search.exec("UPDATE entry_text_data SET block = x'ffffffffffffffff' WHERE id = 10");
  const [before] = store.column("SELECT key FROM entries");
  store.close();
  await new Running(store, { intervals: NO_SWEEPS }).ready();
  store.write("b.jsonl", session({ id: "b" }).user("banana").bytes());
  await pollUntil(() => readdirSync(store.indexFolder).includes("search-v1.db.damaged"), {
    what: "the damaged full text, put aside",
  });
  store.close();
  await pollUntil(() => hits(store, "apple") === 1 && hits(store, "banana") === 1, { what: "both words" });
  expect(store.column("SELECT key FROM entries ORDER BY key")[0]).toBe(before);
});

test("D18: a file that was told of is not forgotten when the index cannot be written just then", async () => {
  const store = new Store();
  const watcher = deaf();
  let turns = 0;
  const onTurn = (): void => void turns++;
  const events: string[] = [];
  const log = { write: (event: string) => void events.push(event) };
  const options = { watch: watcher.watch, intervals: NO_SWEEPS, onTurn, log };
  const { daemon } = await new Running(store, options).ready();
  const { database } = store.index;
  const path = store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
  database.exec("BEGIN IMMEDIATE");
  const before = turns;
  watcher.changed(path);
  // The one that was waiting, and the one that meets the lock.
  await pollUntil(() => turns >= before + 2, { what: "two turns" });
  expect(daemon.report().queue).toBe(1);
  database.exec("ROLLBACK");
  await seesEntries(store, 1);
  // What passes by itself is no trouble.
  expect(events).not.toContain("indexFailed");
});

test("B16: a root that comes later is looked at and watched as soon as it is there", async () => {
  const store = new Store();
  rmSync(store.root, { recursive: true });
  const { daemon } = await new Running(store, { intervals: NO_SWEEPS }).ready();
  expect(daemon.report()).toMatchObject({ state: "degraded", degraded: `there is no folder ${store.root}` });
  mkdirSync(store.root);
  store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
  await seesEntries(store, 1);
  store.write("b.jsonl", session({ id: "b" }).user("y").bytes());
  await seesEntries(store, 2);
});

test("B16: sessions that vanish at once stay, and that is said until they are back, or are forgotten", async () => {
  const store = storeOf(25);
  const { daemon } = await new Running(store, { intervals: { ...NO_SWEEPS, pollMs: 20 } }).ready();
  const away = `${store.root}-away`;
  const vanished = () =>
    daemon.report().degraded?.startsWith("25 session files are gone, most of the folder at once");
  renameSync(store.root, away);
  mkdirSync(store.root);
  await pollUntil(vanished, { what: "the report" });
  expect(daemon.report().state).toBe("degraded");
  rmSync(store.root, { recursive: true });
  renameSync(away, store.root);
  await pollUntil(() => daemon.report().state === "watching", { what: "the sessions that are back" });
  expect(store.column("SELECT count(*) FROM sessions")).toEqual([25]);
  for (let number = 0; number < 25; number++) rmSync(store.path(`${number}.jsonl`));
  await pollUntil(vanished, { what: "the second report" });
  store.sync({ rebuild: true });
  await pollUntil(() => daemon.report().state === "watching", { what: "the sync that forgot them" });
});

test("D4: a full disk is left to others, and says so", async () => {
  const store = new Store();
  let full = false;
  const { daemon } = await new Running(store, { intervals: NO_SWEEPS, isDiskFull: () => full }).ready();
  full = true;
  await pollUntil(() => daemon.report().degraded?.includes("almost full"), { what: "the report" });
  full = false;
  store.write("a.jsonl", session({ id: "a" }).user("x").bytes());
  await seesEntries(store, 1);
  expect(daemon.report().state).toBe("watching");
});

test("D4: on a full disk no text is made searchable either, until there is room", async () => {
  const store = new Store();
  store.write("a.jsonl", session({ id: "a" }).user("apple").bytes());
  let [full, hasBeenFull] = [false, false];
  const running = new Running(store, {
    intervals: { ...NO_SWEEPS, feedMs: 200 },
    isDiskFull: () => full,
    // As soon as there are rows that are not searchable yet.
    onTurn: ({ sweeps }) => {
      if (sweeps > 0 && !hasBeenFull) [full, hasBeenFull] = [true, true];
    },
  });
  await pollUntil(() => running.daemon.report().degraded?.includes("almost full"), { what: "the report" });
  // One comes after 50 ms: half of them are enough for the time after which they would be.
  await running.turned(8);
  expect([entryIds(store).length, hits(store, "apple")]).toEqual([1, 0]);
  full = false;
  await pollUntil(() => hits(store, "apple") === 1, { what: "the word" });
});

test("it says what it does: indexing, watching, stopping", async () => {
  const running = await new Running(new Store()).ready();
  await pollUntil(() => running.states.includes("watching"), { what: "watching" });
  await running.stop();
  expect(running.states).toEqual(["indexing", "watching", "stopping"]);
});

test("I-10, F14: it writes nothing below the root, and its log holds no text of a session", async () => {
  const store = new Store();
  const lines: string[] = [];
  const log = {
    write: (event: string, fields: LogFields = {}) => void lines.push(JSON.stringify({ event, ...fields })),
  };
  store.write("a.jsonl", session({ id: "a", cwd: "/canary-cwd" }).user("canary").raw("canary {").bytes());
  store.write("b.jsonl", "canary\n");
  const before = store.image();
  const running = await new Running(store, { log }).ready();
  await pollUntil(() => hits(store, "canary") === 1, { what: "the text" });
  await running.stop();
  expect(store.image()).toEqual(before);
  expect(lines.join("\n")).toContain("swept");
  expect(lines.join("\n")).not.toContain("canary");
});

test("C10: idle, it commits nothing however often it looks", async () => {
  const store = new Store();
  for (const name of ["a", "b"]) {
    const path = store.write(`${name}.jsonl`, session({ id: name }).user(name).bytes());
    utimesSync(path, 1, 1);
  }
  const running = await new Running(store, { intervals: { ...HASTY, sweepMs: 20, hotMs: 20 } }).ready();
  const settled = () => store.column("SELECT min(settled) FROM files")[0] === 1;
  await pollUntil(() => hits(store, "a") === 1 && hits(store, "b") === 1 && settled(), {
    what: "the texts, and settled files",
  });
  const version = () => store.index.database.pragma("data_version", { simple: true });
  const [before, sweeps] = [version(), running.sweeps];
  await pollUntil(() => running.sweeps >= sweeps + 10, { what: "ten more sweeps" });
  expect(version()).toBe(before);
});

test("what is excluded is neither watched nor indexed, and leaves the index with the next sweep", async () => {
  const store = new Store();
  for (const folder of ["kept", "left"]) mkdirSync(store.path(folder));
  const left = session({ id: "left" }).user("grape");
  left.write(store.path("left/a.jsonl"));
  let excluded = "nothing";
  const isExcluded = (path: string): boolean => path.includes(excluded);
  const running = await new Running(store, { intervals: { ...HASTY, sweepMs: 200 }, isExcluded }).ready();
  await seesEntries(store, 1);
  excluded = "/left";
  appendFileSync(store.path("left/a.jsonl"), `${left.user("more").lines().at(-1)}\n`);
  session({ id: "kept" }).user("one").user("two").user("three").write(store.path("kept/b.jsonl"));
  const { sweeps } = running;
  await pollUntil(() => running.sweeps > sweeps && entryIds(store).length === 3, {
    what: "the kept entries alone",
  });
});
