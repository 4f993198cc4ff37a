import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Index, openIndex } from "../../src/db/open.ts";
import { feedSearch } from "../../src/sync/search-feed.ts";
import { SyncRun, syncAll } from "../../src/sync/sync-all.ts";
import { countFolder } from "../helpers/independent-count.ts";
import { dumpIndex, type IndexDump } from "../helpers/index-dump.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { type FileEvent, fileEvents, happen } from "../helpers/session-store-model.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

const RUNS = Number(process.env.SESSIONDB_FUZZ_RUNS ?? 300);

type Syncer = "a" | "b";
type Command = FileEvent | { kind: "sync" | "step" | "feed"; by: Syncer };

const by = fc.constantFrom<Syncer>("a", "b");
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fileEvents },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("sync" as const), by }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("step" as const), by }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("feed" as const), by }) },
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

/** A fresh index, copied rather than migrated each time. */
function newIndexFolder(): string {
  const target = mkdtempSync(join(folder, "index-"));
  if (!statSync(emptyIndex, { throwIfNoEntry: false })) {
    mkdirSync(emptyIndex);
    withIndex(emptyIndex, (index) => index.search.pragma("wal_checkpoint(TRUNCATE)"));
  }
  for (const name of readdirSync(emptyIndex)) copyFileSync(join(emptyIndex, name), join(target, name));
  return target;
}

/** Two processes' worth of syncers on one index, each perhaps in the middle of a sync. */
class TwoSyncers {
  readonly #indexes: Record<Syncer, Index>;
  readonly #runs: Partial<Record<Syncer, SyncRun>> = {};
  readonly #root: string;

  constructor(indexFolder: string, root: string) {
    this.#indexes = { a: openIndex(indexIn(indexFolder)), b: openIndex(indexIn(indexFolder)) };
    this.#root = root;
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
      default:
        happen(this.#root, command);
    }
  }

  #step(syncer: Syncer): void {
    const run = this.#runs[syncer] ?? new SyncRun(this.#indexes[syncer], [this.#root]);
    this.#runs[syncer] = run;
    if (!run.step()) delete this.#runs[syncer];
  }

  finish(): IndexDump {
    syncAll(this.#indexes.b, [this.#root]);
    feedSearch(this.#indexes.a);
    return dumpIndex(this.#indexes.a);
  }

  totalCost(): number {
    return Number(
      this.#indexes.a.database.prepare("SELECT total(cost) FROM usage WHERE counted = 1").pluck().get(),
    );
  }

  close(): void {
    this.#indexes.a.close();
    this.#indexes.b.close();
  }
}

function rebuilt(root: string): IndexDump {
  return withIndex(newIndexFolder(), (index) => {
    syncAll(index, [root]);
    feedSearch(index);
    return dumpIndex(index);
  });
}

/** Bytes, times and modes of everything below a folder. */
function imageOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const { mode, mtimeMs, ctimeMs } = statSync(join(root, name));
      const isFolder = statSync(join(root, name)).isDirectory();
      return [name, mode, mtimeMs, ctimeMs, isFolder ? "" : readFileSync(join(root, name), "latin1")].join(
        "|",
      );
    });
}

function scenario(list: Command[], check: (syncers: TwoSyncers, root: string) => void): void {
  const root = mkdtempSync(join(folder, "root-"));
  const indexFolder = newIndexFolder();
  const syncers = new TwoSyncers(indexFolder, root);
  try {
    for (const command of list) syncers.run(command);
    check(syncers, root);
  } finally {
    syncers.close();
    for (const name of readdirSync(folder)) {
      if (name !== "empty") rmSync(join(folder, name), { recursive: true });
    }
  }
}

test("I-1: after any history the index equals one rebuilt from nothing", { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(histories, (list) => {
      scenario(list, (syncers, root) => expect(syncers.finish()).toEqual(rebuilt(root)));
    }),
    { numRuns: RUNS },
  );
});

test("I-7, I-10: the money is what a plain count of the files says, and the files are untouched", {
  timeout: 600_000,
}, () => {
  fc.assert(
    fc.property(histories, (list) => {
      scenario(list, (syncers, root) => {
        const before = imageOf(root);
        syncers.finish();
        expect(syncers.totalCost()).toBeCloseTo(countFolder(root).totals.cost, 9);
        expect(imageOf(root)).toEqual(before);
      });
    }),
    { numRuns: RUNS },
  );
});
