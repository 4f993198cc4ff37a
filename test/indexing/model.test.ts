import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SessionDbError } from "../../src/errors.ts";
import { SyncRun, syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { purge } from "../../src/search/purge.ts";
import { filesAt } from "../../src/store/location.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { quarantine } from "../../src/store/quarantine.ts";
import { fc } from "../helpers/drawn.ts";
import { runs, SEED } from "../helpers/fuzz.ts";
import { countFolder } from "../helpers/independent-count.ts";
import { dumpIndex, type IndexDump } from "../helpers/index-dump.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { importPeer, isMissing } from "../helpers/peers.ts";
import { SeenFiles } from "../helpers/seen-files.ts";
import { type FileEvent, fileEvents, happen, type Pi } from "../helpers/session-store-model.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { imageOf, LATER } from "./store.ts";

const RUNS = runs(300);
const pi = isMissing("piSessionManagerModule") ? undefined : await importPeer<Pi>("piSessionManagerModule");

type Syncer = "a" | "b";
type Command =
  | FileEvent
  | { kind: "sync" | "step" | "feed"; by: Syncer }
  | { kind: "purge"; by: Syncer; deadlineMs: number }
  | { kind: "kill"; by: Syncer; at: number }
  | { kind: "lose" | "damage"; which: 0 | 1 };

const by = fc.constantFrom<Syncer>("a", "b");
/** A purge in one go, or a step of one. */
const deadlineMs = fc.constantFrom(Number.POSITIVE_INFINITY, 0);
const which = fc.constantFrom<0 | 1>(0, 1);
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fileEvents },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("sync" as const), by }) },
    { weight: 12, arbitrary: fc.record({ kind: fc.constant("step" as const), by }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("feed" as const), by }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("purge" as const), by, deadlineMs }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("kill" as const), by, at: fc.nat(6) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("lose" as const, "damage" as const), which }) },
  ),
  { minLength: 1, maxLength: 30 },
);

/** Most histories begin with something to lose: a session, a fork of it and a copy, all of them indexed. */
const BEGINNING: Command[] = [
  { kind: "create", file: 1, seed: 2 },
  { kind: "fork", file: 1, to: 3 },
  { kind: "copy", file: 1, to: 2 },
  { kind: "sync", by: "a" },
];
const histories = fc
  .tuple(fc.boolean(), commands)
  .map(([blank, list]) => (blank ? list : [...BEGINNING, ...list]));

const folder = sharedTempDir();
const emptyIndex = join(folder, "empty");

/** A folder as indexes lie in by default: whatever is damaged there is ours. */
function usualFolderIn(place: string): string {
  const target = join(mkdtempSync(join(place, "index-")), "sessiondb");
  mkdirSync(target);
  return target;
}

/** A fresh index, copied rather than migrated each time. */
function newIndexFolder(): string {
  const target = usualFolderIn(folder);
  if (!statSync(emptyIndex, { throwIfNoEntry: false })) {
    mkdirSync(emptyIndex);
    withIndex(emptyIndex, (index) => index.search.pragma("wal_checkpoint(TRUNCATE)"));
  }
  for (const name of readdirSync(emptyIndex)) copyFileSync(join(emptyIndex, name), join(target, name));
  return target;
}

/** With one of SQLite's codes, so that it is nobody's bad file. */
class Killed extends Error {
  readonly code = "SQLITE_KILLED";
}

/** Two processes' worth of syncers on one index, each perhaps in the middle of a sync. */
class TwoSyncers {
  readonly #root: string;
  readonly #seen: SeenFiles;
  #folder: string;
  #indexes: Record<Syncer, Index>;
  #runs: Partial<Record<Syncer, SyncRun>> = {};

  constructor(root: string) {
    this.#root = root;
    this.#seen = new SeenFiles(root);
    this.#folder = newIndexFolder();
    this.#indexes = this.#open();
  }

  run(command: Command): void {
    switch (command.kind) {
      case "sync":
        syncAll(this.#indexes[command.by], [this.#root]);
        break;
      case "step":
        this.#step(command.by);
        break;
      case "feed":
        feedSearch(this.#indexes[command.by]);
        break;
      case "purge":
        purge(this.#indexes[command.by], { deadlineMs: command.deadlineMs });
        break;
      case "kill":
        this.#kill(command.by, command.at);
        break;
      case "lose":
        this.#change((path) => {
          for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
        }, command.which);
        break;
      case "damage":
        this.#change((path) => writeFileSync(path, "no database, ".repeat(500)), command.which);
        break;
      default:
        happen(this.#root, command, pi);
        this.#seen.look();
        return;
    }
    this.#seen.expectIn(this.#indexes.a);
  }

  #open(): Record<Syncer, Index> {
    const open = () => openIndex(indexIn(this.#folder));
    const indexes = { a: open(), b: open() };
    indexes.a.search.prepare("SELECT 1").get();
    return indexes;
  }

  #step(syncer: Syncer): void {
    const run = this.#runs[syncer] ?? new SyncRun(this.#indexes[syncer], [this.#root]);
    this.#runs[syncer] = run;
    if (!run.step()) delete this.#runs[syncer];
  }

  /** Ends a sync at the n-th look at its clock: what goes on is what then lay on the disk, as after SIGKILL. */
  #kill(syncer: Syncer, at: number): void {
    let looks = 0;
    const left = usualFolderIn(folder);
    const now = () => {
      if (looks++ !== at) return Date.now();
      for (const name of readdirSync(this.#folder)) {
        if (!name.endsWith("-shm")) copyFileSync(join(this.#folder, name), join(left, name));
      }
      throw new Killed();
    };
    try {
      syncAll(this.#indexes[syncer], [this.#root], { now });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.close();
      this.#folder = left;
      this.#indexes = this.#open();
    }
  }

  /** Nobody has the index open meanwhile; who opens it puts aside what is damaged. */
  #change(change: (path: string) => void, number: 0 | 1): void {
    this.close();
    const location = indexIn(this.#folder);
    change(Object.values(location)[number] ?? "");
    const damaged = filesAt(location);
    try {
      this.#indexes = this.#open();
    } catch (error) {
      if (!(error instanceof SessionDbError) || error.code !== "index_corrupt") throw error;
      quarantine("index", location, damaged);
      this.#indexes = this.#open();
    }
  }

  /** Up to date, with a clock at which everything is settled. */
  finish(): IndexDump {
    syncAll(this.#indexes.b, [this.#root], { now: LATER });
    feedSearch(this.#indexes.a);
    this.#seen.expectIn(this.#indexes.a);
    return dumpIndex(this.#indexes.a);
  }

  /** What another sync and feed read, and whether they committed anything. */
  again(): [number, number, boolean] {
    const version = () => this.#indexes.a.database.pragma("data_version", { simple: true });
    const before = version();
    const { bytesRead } = syncAll(this.#indexes.b, [this.#root], { now: LATER });
    return [bytesRead, feedSearch(this.#indexes.b).added, version() !== before];
  }

  totalCost(): number {
    return Number(
      this.#indexes.a.database.prepare("SELECT total(cost) FROM usage WHERE counted = 1").pluck().get(),
    );
  }

  close(): void {
    this.#runs = {};
    this.#indexes.a.close();
    this.#indexes.b.close();
  }
}

function rebuilt(root: string): IndexDump {
  return withIndex(newIndexFolder(), (index) => {
    syncAll(index, [root], { now: LATER });
    feedSearch(index);
    return dumpIndex(index);
  });
}

function scenario(list: Command[]): void {
  const root = mkdtempSync(join(folder, "root-"));
  const syncers = new TwoSyncers(root);
  try {
    for (const command of list) syncers.run(command);
    const image = imageOf(root);
    expect(syncers.finish()).toEqual(rebuilt(root));
    expect(syncers.totalCost()).toBeCloseTo(countFolder(root).totals.cost, 9);
    expect(syncers.again()).toEqual([0, 0, false]);
    expect(imageOf(root)).toEqual(image);
  } finally {
    syncers.close();
    for (const name of readdirSync(folder)) {
      if (name !== "empty") rmSync(join(folder, name), { recursive: true });
    }
  }
}

// I-1: the index equals one rebuilt from nothing. I-3, I-4: at any moment its rows are the parse of bytes a file had, up
// to the end of a line. I-5: a second sync reads and commits nothing. I-7: the money is what a plain count says. I-8: a
// killed sync loses nothing. I-10: the files are untouched. I-11: an append of ours is in its file.
test(`I-1, I-3, I-4, I-5, I-7, I-8, I-10, I-11: ${RUNS} histories of files, syncs and losses (seed ${SEED})`, {
  timeout: 120_000 + RUNS * 1000,
}, () => {
  fc.assert(fc.property(histories, scenario), { numRuns: RUNS, seed: SEED });
});
