/** Databases that are damaged, cut short, drifting apart, read for ever or written by others meanwhile. */
import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { searchEntries } from "../../src/search/search.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { loadSqlite } from "../../src/store/native.ts";
import { runs, SEED } from "../helpers/fuzz.ts";
import { dumpIndex } from "../helpers/index-dump.ts";
import { withIndex } from "../helpers/open-index.ts";
import { questionsIn } from "../helpers/questions.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { LATER, Store } from "../indexing/store.ts";
import { Random } from "../session-manager/random.ts";
import { isBuilt, sessiondb } from "./command.ts";

const RUNS = runs(1);
const SAMPLES = join(import.meta.dirname, "../samples/agent");
/** Bytes. */
const PAGE = 4096;
const NAMES = ["index-v1.db", "search-v1.db"];
const TOTALS = "SELECT count(*), round(total(cost), 9) FROM entries LEFT JOIN usage ON entry_key = key";

/** An agent folder with the samples and an index of them. */
function agent(): string {
  const agentDir = tempDir();
  cpSync(SAMPLES, agentDir, { recursive: true });
  expect(sessiondb(agentDir, "sync").status).toBe(0);
  return agentDir;
}

function answers(agentDir: string): string[] {
  const search = sessiondb(agentDir, "search", "the", "--json", "--limit", "3");
  return [sessiondb(agentDir, "sql", TOTALS).stdout, String(JSON.parse(search.stdout || "{}").total)];
}

let expected: string[] | undefined;
/** What an index that nothing happened to answers. */
function expectSoundAnswers(agentDir: string): void {
  expected ??= answers(agent());
  expect(answers(agentDir)).toEqual(expected);
}

/** A word that most sessions have. */
const searchThe = (agentDir: string) => sessiondb(agentDir, "search", "the", "--json", "--limit", "0");

/** Where the hits of such an answer are. */
function placesIn(answer: string): string[] {
  const { hits } = JSON.parse(answer) as { hits: { session: { id: string }; line: number }[] };
  return hits.map(({ session, line }) => `${session.id}:${line}`).sort();
}

let places: string[] | undefined;
function soundPlaces(): string[] {
  places ??= placesIn(searchThe(agent()).stdout);
  expect(places.length).toBeGreaterThan(20);
  return places;
}

/**
 * Hits of an answer that are wrong or missing, unless a look at everything finds out: SQLite has no checksums, and a page in
 * the place of another is as sound as that.
 */
function wrongUnseen(agentDir: string, answer: string): string[] {
  const [found, sound] = [placesIn(answer), soundPlaces()];
  const wrong = [
    ...found.filter((place) => !sound.includes(place)),
    ...sound.filter((place) => !found.includes(place)),
  ];
  // Whichever meets pages that make no sense makes the index anew, and says so.
  const isSeen = () =>
    /the index (is|was) damaged/.test(outputOf(sessiondb(agentDir, "doctor"))) ||
    sessiondb(agentDir, "verify", "--no-sync").status !== 0;
  return wrong.length > 0 && isSeen() ? [] : wrong;
}

function outputOf({ stdout, stderr }: { stdout: string; stderr: string }): string {
  return stdout + stderr;
}

const random = new Random(SEED);
type Damage = (path: string) => void;
const DAMAGES: Record<string, Damage> = {
  "its header written over": (path) => overwrite(path, 0, 100),
  "its first page written over": (path) => overwrite(path, 100, 3900),
  "a page in its middle written over": (path) => overwrite(path, PAGE * (1 + random.below(20)), PAGE),
  "single bytes changed": (path) => {
    for (let times = 0; times < 20; times++) overwrite(path, random.below(statSync(path).size), 1);
  },
  "a page in the place of another": (path) =>
    copyPage(path, random.below(pagesOf(path)), 1 + random.below(pagesOf(path) - 1)),
  "two pages that have changed places": (path) => {
    const [one, other] = [1 + random.below(pagesOf(path) - 1), 1 + random.below(pagesOf(path) - 1)];
    const before = readFileSync(path).subarray(PAGE * one, PAGE * (one + 1));
    copyPage(path, other, one);
    writeAt(path, PAGE * other, before);
  },
  "its second half missing": (path) => truncateSync(path, PAGE * Math.floor(pagesOf(path) / 2)),
  "no bytes": (path) => truncateSync(path, 0),
};

function pagesOf(path: string): number {
  return Math.floor(statSync(path).size / PAGE);
}

/** Pages are counted from 0. */
function copyPage(path: string, from: number, to: number): void {
  writeAt(path, PAGE * to, readFileSync(path).subarray(PAGE * from, PAGE * (from + 1)));
}

function overwrite(path: string, at: number, length: number): void {
  const size = Math.min(length, Math.max(1, statSync(path).size - at));
  writeAt(path, Math.min(at, statSync(path).size - 1), Buffer.alloc(size, 1 + random.below(255)));
}

function writeAt(path: string, at: number, bytes: Uint8Array): void {
  const fd = openSync(path, "r+");
  writeSync(fd, bytes, 0, bytes.length, at);
  closeSync(fd);
}

describe.skipIf(!isBuilt)(`D9: a database with (seed ${SEED})`, () => {
  test.each(Object.entries(DAMAGES))(
    "%s gives a right answer, or one that is found wrong, or says what to do, and is made anew by it",
    { timeout: 120_000 + RUNS * 60_000 },
    (_, damage) => {
      for (let run = 0; run < RUNS; run++) {
        const agentDir = agent();
        damage(join(agentDir, "sessiondb", NAMES[random.below(2)] ?? ""));
        const { status, stdout, stderr } = searchThe(agentDir);
        expect(stderr).not.toMatch(/\n\s+at |bug in sessiondb/);
        if (status === 0) expect([run, wrongUnseen(agentDir, stdout)]).toEqual([run, []]);
        else expect(stderr).toMatch(/sync --rebuild|is not an index of sessiondb|Try again/);
        const rebuilt = sessiondb(agentDir, "sync", "--rebuild");
        expect([run, rebuilt.status, rebuilt.stderr.includes("error")]).toEqual([run, 0, false]);
        expectSoundAnswers(agentDir);
      }
    },
  );
});

const project = join(import.meta.dirname, "..", "..");
const HOLDER = `const { loadSqlite } = await import("./build/src/store/native.js");
  const { truncateSync } = await import("node:fs");
  const database = new (loadSqlite())(process.argv[1]);
  database.prepare("SELECT count(*) FROM entries").get();
  truncateSync(process.argv[1] + "-shm", 0);
  for (let turn = 0; turn < 3; turn++) database.prepare("SELECT count(*) FROM entries").get();
  process.kill(process.pid, "SIGBUS");`;

describe.skipIf(!isBuilt)("D8: a database", () => {
  test("whose log was deleted comes to the same with the next look", () => {
    const store = new Store();
    session({ id: "a" }).user("first").assistant().write(store.path("a.jsonl"));
    store.sync();
    store.feed();
    // As a killed process leaves it: the second session is in the log only.
    session({ id: "b" }).user("second").assistant().write(store.path("b.jsonl"));
    store.index.database.pragma("wal_autocheckpoint = 0");
    store.sync();
    const folder = tempDir();
    for (const name of NAMES) copyFileSync(join(store.indexFolder, name), join(folder, name));
    expect(readdirSync(store.indexFolder)).toContain("index-v1.db-wal");
    const dump = withIndex(folder, (index) => {
      const entries = index.database.prepare("SELECT count(*) FROM entries").pluck().get();
      expect(entries).toBeLessThan(4);
      return dumpIndex(index);
    });
    expect(dump.entries).not.toEqual(store.dump().entries);
    expect(
      sessiondb(store.root, "sync", "--sessions-dir", store.root, "--db", join(folder, NAMES[0] ?? ""))
        .status,
    ).toBe(0);
    store.feed();
    expect(withIndex(folder, dumpIndex)).toEqual(store.rebuilt());
  });

  test("whose shared memory was cut off kills at most who holds it, and leaves nothing in the way", () => {
    const agentDir = agent();
    const path = join(agentDir, "sessiondb/index-v1.db");
    const holder = spawnSync(process.execPath, ["--input-type=module", "-e", HOLDER, path], { cwd: project });
    expect(String(holder.stderr)).toBe("");
    // SQLite maps that file: who touches what is gone dies of SIGBUS. Whom it spares ends in the same way, closing nothing.
    expect(holder.signal).toBe("SIGBUS");
    expect(existsSync(`${path}-shm`)).toBe(true);
    expectSoundAnswers(agentDir);
  });
});

describe("D10: a full text that has drifted from the rows", () => {
  test("gives no hit without its entry, and its own check sees it", () => {
    const store = new Store();
    session({ id: "a" }).user("needle one").user("needle two").write(store.path("a.jsonl"));
    store.sync();
    store.feed();
    expect(searchEntries(store.index, "needle").total).toBe(2);
    store.index.database.exec(
      "DELETE FROM entry_rows WHERE key IN (SELECT key FROM entries WHERE preview = 'needle two')",
    );
    expect(searchEntries(store.index, "needle").hits).toHaveLength(1);
    store.index.search.exec("INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 1)");
    store.index.search.unsafeMode();
    store.index.search.exec("UPDATE entry_text_data SET block = x'00' WHERE id > 10");
    const check = () =>
      store.index.search.exec("INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 1)");
    expect(check).toThrow(/malformed|corrupt/);
  });
});

test("D5: while somebody reads for ever the index is written and answers, and its log is cut back afterwards", () => {
  const store = new Store();
  const picture = "words that fill pages ".repeat(2000);
  session({ id: "a" }).user(picture).write(store.path("a.jsonl"));
  store.sync();
  const reader = new (loadSqlite())(join(store.indexFolder, "index-v1.db"), { readonly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM entries").get();
  for (let round = 0; round < 30; round++) {
    const built = session({ id: `s${round}` });
    for (let entry = 0; entry < 20; entry++) built.user(`${picture} ${round} ${entry}`);
    built.write(store.path(`${round}.jsonl`));
    store.sync();
  }
  expect(store.column("SELECT count(*) FROM entries")).toEqual([601]);
  expect(reader.prepare("SELECT count(*) FROM entries").pluck().get()).toBe(1);
  const log = () => statSync(join(store.indexFolder, "index-v1.db-wal")).size;
  const grown = log();
  reader.exec("COMMIT");
  reader.close();
  store.index.database.pragma("wal_checkpoint(TRUNCATE)");
  expect(log()).toBeLessThan(grown);
});

test("E5: appends go on while the index is being written, and but for the first one ask it nothing", () => {
  const agentDir = tempDir();
  vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
  const root = join(agentDir, "sessions");
  const path = session({ id: "a" }).user("one").assistant().writeBelow(root);
  withIndex(join(agentDir, "sessiondb"), (index) => {
    syncAll(index, [root], { now: LATER });
    index.database.exec("BEGIN EXCLUSIVE");
    const manager = SessionManager.open(path);
    const append = (): unknown => manager.appendMessage({ role: "user", content: "hello", timestamp: 1 });
    // The ids that there are, read once, without waiting: a new one shall be none of them.
    expect(questionsIn(append)).toBeGreaterThan(0);
    const asked = questionsIn(() => {
      for (let turn = 0; turn < 200; turn++) append();
    });
    expect(asked).toBe(0);
    index.database.exec("ROLLBACK");
    syncAll(index, [root], { now: LATER });
    expect(index.database.prepare("SELECT count(*) FROM entries").pluck().get()).toBe(203);
  });
});
