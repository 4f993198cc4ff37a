import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import type { Index } from "../../src/store/open.ts";
import { fc } from "../helpers/drawn.ts";
import { runs, SEED } from "../helpers/fuzz.ts";
import { withIndex } from "../helpers/open-index.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { drawnStore, type Store, writeDrawn } from "./drawn-store.ts";

/** Long runs are meant to be long. */
export const LONG = { timeout: 24 * 60 * 60_000 };

/** A choice among some, by a number that fast-check draws. */
export type Choose = <T>(...choices: readonly T[]) => T | undefined;

/**
 * Checks a relation between answers for so many stores drawn at random, each in a folder of its own.
 */
export function forAllStores(usual: number): (check: (store: Store, choose: Choose) => void) => void {
  const folder = sharedTempDir();
  return (check) => {
    const property = fc.property(drawnStore, fc.infiniteStream(fc.nat()), (sessions, numbers) => {
      const store = writeDrawn(mkdtempSync(join(folder, "store-")), sessions);
      check(store, (...choices) => choices[(numbers.next().value ?? 0) % choices.length]);
    });
    fc.assert(property, { numRuns: runs(usual), seed: SEED });
  };
}

/** The same with an index of all of it. */
export function forAllIndexes(
  usual: number,
): (check: (index: Index, store: Store, choose: Choose) => void) => void {
  const forEach = forAllStores(usual);
  return (check) =>
    forEach((store, choose) => withIndexOf(store.roots, (index) => check(index, store, choose)));
}

/** An index of the roots, rows and full text, closed at the end. */
export function withIndexOf<T>(roots: readonly string[], use: (index: Index) => T): T {
  return withIndex(mkdtempSync(join(roots[0] ?? "", "..", "index-")), (index) => {
    syncAll(index, [...roots]);
    feedSearch(index);
    return use(index);
  });
}
