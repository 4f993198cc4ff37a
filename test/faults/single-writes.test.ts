/** Faults at single writes, syncs, cuts and renames of a real process: `SESSIONDB_FUZZ_RUNS` tries more places. */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runs, SEED } from "../helpers/fuzz.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../indexing/store.ts";
import { Random } from "../session-manager/random.ts";
import { callsCounted, canPreload, type Fault, runWithFault } from "./fault-shim.ts";

const syncStore = join(import.meta.dirname, "../e2e/sync-store.mjs");
const appendWithFaults = join(import.meta.dirname, "append-with-faults.mjs");
const isBuilt = existsSync(join(import.meta.dirname, "../../build/src/session/session-manager.js"));
const RUNS = runs(4);
const random = new Random(SEED);
const TIMEOUT = { timeout: 120_000 + RUNS * 5000 };

/** Some files, and perhaps an index of them that is behind. */
function storeOf(state: "fresh" | "behind"): Store {
  const store = new Store();
  for (let file = 0; file < 8; file++) write(store, file, "first");
  if (state === "fresh") return store;
  store.sync();
  store.feed();
  store.close();
  for (let file = 0; file < 4; file++) write(store, file, "second");
  rmSync(store.path("4.jsonl"));
  appendFileSync(store.path("5.jsonl"), `${session({ id: "x" }).user("more").lines().at(-1)}\n`);
  return store;
}

function write(store: Store, file: number, words: string): void {
  const built = session({ id: `s${file}` })
    .user(`${words} question`)
    .assistant({ text: `${words} answer` });
  built.assistant({ toolCalls: [{ name: "read", arguments: { path: words } }] }).toolResult("out");
  built.write(store.path(`${file}.jsonl`));
}

function syncWithFault(store: Store, fault: Omit<Fault, "below">) {
  return runWithFault([syncStore, store.root, store.indexFolder], { ...fault, below: store.indexFolder });
}

/** Files as they were, and an index that comes to what a rebuild gives. */
function expectSound(store: Store, image: string[]): void {
  expect(store.image()).toEqual(image);
  store.sync();
  store.feed();
  expect(store.dump()).toEqual(store.rebuilt());
  for (const database of [store.index.database, store.index.search]) {
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
  }
  store.close();
}

describe.skipIf(!canPreload || !isBuilt)(`at single writes to the index (seed ${SEED})`, () => {
  test.each(["fresh", "behind"] as const)(
    "D1, D13, I-8: killed at any of them, a sync of an index that is %s comes to a rebuild's",
    TIMEOUT,
    (state) => {
      syncWithFault(storeOf(state), { at: 0, what: "kill" });
      const calls = callsCounted();
      expect(calls).toBeGreaterThan(20);
      for (let run = 0; run < RUNS; run++) {
        const store = storeOf(state);
        const image = store.image();
        const at = 1 + random.below(calls);
        expect([at, syncWithFault(store, { at, what: "kill" }).signal]).toEqual([at, "SIGKILL"]);
        expectSound(store, image);
      }
    },
  );

  test.each(["enospc", "eio", "short"] as const)(
    "D4, I-9: when they fail (%s) no session file changes, nothing crashes, and the next sync comes to a rebuild's",
    TIMEOUT,
    (what) => {
      syncWithFault(storeOf("behind"), { at: 0, what });
      const calls = callsCounted();
      for (let run = 0; run < RUNS; run++) {
        const store = storeOf("behind");
        const image = store.image();
        const fault = { at: 1 + random.below(calls), what, times: run % 2 === 0 ? 1 : 1_000_000 };
        const { signal, status, stderr } = syncWithFault(store, fault);
        expect([fault.at, signal]).toEqual([fault.at, null]);
        // Where a process may not write, it says so with one of SQLite's codes or ours; it never goes on as if it had.
        if (status !== 0) expect(stderr).toMatch(/SQLITE_(FULL|IOERR\w*|CANTOPEN)|E(IO|NOSPC)/);
        expectSound(store, image);
      }
    },
  );
});

describe.skipIf(!canPreload || !isBuilt)("at single writes to a session file", () => {
  function sessionFile(version?: 1): string {
    const path = join(tempDir(), "a.jsonl");
    session(version ? { version } : {})
      .user("one")
      .assistant()
      .write(path);
    return path;
  }

  test.each(["enospc", "eio", "short", "torn"] as const)(
    "B21, I-9, I-11: an append that fails (%s) changes nothing, and the next one is readable",
    (what) => {
      for (let at = 1; at <= 6; at++) {
        for (const times of what === "torn" ? [2] : [1, 2]) {
          const path = sessionFile();
          const run = runWithFault([appendWithFaults, path], { below: path, at, what, times });
          expect(run.stderr).toBe("");
          const { failed, broken } = JSON.parse(run.stdout);
          expect([at, times, broken]).toEqual([at, times, []]);
          // What was written in part is completed where that goes.
          if (what !== "short") expect(failed).toBeGreaterThan(0);
        }
      }
    },
  );

  test("A18, I-8: a migration killed at any step leaves the old file or the new one, and nothing that looks like a session", () => {
    let killed = 0;
    for (let at = 1; ; at++) {
      const path = sessionFile(1);
      const old = readFileSync(path, "utf8");
      const { signal } = runWithFault([appendWithFaults, path], {
        below: join(path, ".."),
        at,
        what: "kill",
      });
      const [first, ...rest] = readFileSync(path, "utf8").split("\n");
      const isNew = JSON.parse(first ?? "").version === 3;
      if (!isNew) expect(readFileSync(path, "utf8")).toBe(old);
      else expect(rest.filter((line) => line !== "").length).toBeGreaterThanOrEqual(2);
      const beside = readdirSync(join(path, "..")).filter((name) => name !== "a.jsonl");
      expect(beside.filter((name) => name.endsWith(".jsonl"))).toEqual([]);
      if (isNew) break;
      expect(signal).toBe("SIGKILL");
      killed++;
    }
    // While it writes the new file, and before that takes the place of the old one.
    expect(killed).toBeGreaterThanOrEqual(2);
  });
});
