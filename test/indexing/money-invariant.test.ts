import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Sums } from "../../src/format/usage.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { countFolder } from "../helpers/independent-count.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { writeSpendingStore } from "../reports/usage/spending-store.ts";
import { LATER } from "./store.ts";

type Change = {
  kind: "fork" | "clone" | "copy" | "rename" | "reindex" | "sync" | "forkInPart";
  which: number;
  to: number;
};

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("fork", "clone", "copy", "rename", "reindex", "sync", "forkInPart"),
  which: fc.nat(20),
  to: fc.nat(5),
});

/** The sessions below a root, and what happens to them that spends nothing. */
class Files {
  readonly root: string;
  readonly #paths: string[];
  #made = 0;

  constructor(root: string) {
    this.root = root;
    writeSpendingStore(root);
    this.#paths = countFolder(root).files.map(({ path }) => path);
  }

  happen({ kind, which, to }: Change): void {
    const place = which % this.#paths.length;
    const path = this.#paths[place] ?? "";
    const target = join(this.root, ["", "a", "b/c", "d", "e/f", "g"][to] ?? "", `made-${this.#made++}.jsonl`);
    mkdirSync(dirname(target), { recursive: true });
    if (kind === "rename") {
      renameSync(path, target);
      this.#paths[place] = target;
      return;
    }
    if (kind === "copy") copyFileSync(path, target);
    if (kind === "clone") writeFileSync(target, newHeader(path, "clone"));
    if (kind === "fork") writeFileSync(target, newHeader(path, "fork"));
    if (kind === "forkInPart") writeFileSync(target, newHeader(path, "fork", 1 + to));
    if (["copy", "clone", "fork", "forkInPart"].includes(kind)) this.#paths.push(target);
  }
}

/** The entries (the first `count`) byte for byte under a header of a later session. */
function newHeader(path: string, id: string, count?: number): string {
  const [, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  const header = session({ id, timestamp: "2026-12-01T10:00:00.000Z", parentSession: path }).lines()[0];
  return `${[header, ...lines.slice(0, count)].join("\n")}\n`;
}

/** Dollars are floats: added in another order they differ in the last places. */
function about(sums: Sums): unknown {
  return { ...sums, cost: expect.closeTo(sums.cost, 9) };
}

test("forks, clones, copies, renames and indexing anew spend nothing", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      const files = new Files(join(tempDir(), "sessions"));
      const before = countFolder(files.root).totals;
      let folder = tempDir();
      const total = () =>
        withIndex(folder, (index) => {
          // Moves are told from removals only when both are seen at once, as they are here.
          syncAll(index, [files.root], { now: LATER });
          return sumUsage(index, { by: "daily", timezone: "Asia/Kathmandu" });
        });
      for (const each of changes) {
        files.happen(each);
        if (each.kind === "reindex") folder = tempDir();
        if (each.kind === "sync") expect(total().totals).toEqual(about(before));
      }
      const { totals, copies } = total();
      expect([totals, copies]).toEqual([about(before), about(countFolder(files.root).copies)]);
    }),
    { numRuns: runs(40) },
  );
});

test("what was copied stays counted when the session it was copied from goes", () => {
  const root = join(tempDir(), "sessions");
  const folder = tempDir();
  const parent = session({ id: "parent" }).user("q").assistant();
  const path = parent.writeBelow(root);
  parent.fork({ id: "child" }).writeBelow(root);
  const totals = () =>
    withIndex(folder, (index) => {
      syncAll(index, [root], { now: LATER });
      return sumUsage(index, { by: "session", timezone: "UTC" });
    });
  const before = totals();
  rmSync(path);
  syncLater(folder, root);
  const after = totals();
  expect([before.totals.requests, before.copies.requests]).toEqual([1, 1]);
  expect([after.totals, after.copies.requests]).toEqual([before.totals, 0]);
});

/** Twice, with time in between: a file that is gone is believed to be after a while. */
function syncLater(folder: string, root: string): void {
  const hour = 3_600_000;
  for (const later of [hour, 2 * hour]) {
    withIndex(folder, (index) => syncAll(index, [root], { now: () => Date.now() + later }));
  }
}
