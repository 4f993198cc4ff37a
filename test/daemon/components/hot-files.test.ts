import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HotFiles } from "../../../daemon/components/sweeper.ts";
import type { LocatedFile } from "../../../src/files/locate.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const HOUR = 60 * 60_000;

/** Files that are there, each as old as it is said to be, in hours. */
function filesOf(...ages: number[]): LocatedFile[] {
  const folder = tempDir();
  return ages.map((age, number) => {
    const path = join(folder, `${number}.jsonl`);
    writeFileSync(path, "x");
    const stat = { device: 1, inode: number, bornAt: null, size: 1, mtimeMs: NOW - age * HOUR, ctimeMs: 0 };
    return { path, realPath: path, stat };
  });
}

function pathsOf(files: readonly LocatedFile[]): string[] {
  return files.map(({ path }) => path);
}

/** As a look at everything does. */
function choose(hot: HotFiles, files: readonly LocatedFile[]): void {
  const { since, onLocated } = hot.recent(NOW);
  onLocated(files.filter(({ stat }) => stat.mtimeMs > since));
}

/** Hot files that have been chosen and looked at once. */
function lookedAt(files: readonly LocatedFile[]): HotFiles {
  const hot = new HotFiles();
  choose(hot, files);
  hot.changed(() => true);
  return hot;
}

test("those are hot that were written within a day, and looked at for the first time they count as changed", () => {
  const files = filesOf(1, 25, 23.9);
  const hot = new HotFiles();
  choose(hot, files);
  expect(hot.changed(() => true)).toEqual(pathsOf(files.filter((_, number) => number !== 1)));
});

test("where very many are new the newest are hot: an idle daemon stays idle", () => {
  const files = filesOf(...Array.from({ length: 310 }, (_, number) => 20 - number / 100));
  const hot = new HotFiles();
  choose(hot, files);
  expect(hot.changed(() => true).sort()).toEqual(pathsOf(files.slice(10)).sort());
});

test("only what differs from the last look is told, also after they were chosen again", () => {
  const files = filesOf(1, 2, 3);
  const hot = lookedAt(files);
  expect(hot.changed(() => true)).toEqual([]);
  const [first = "", second = ""] = pathsOf(files);
  appendFileSync(first, "y");
  choose(hot, files);
  expect(hot.changed(() => true)).toEqual([first]);
  rmSync(second);
  expect([hot.changed(() => true), hot.changed(() => true)]).toEqual([[second], []]);
});

test("one that has cooled down is not looked at any more", () => {
  const files = filesOf(1, 2);
  const hot = lookedAt(files);
  choose(hot, files.slice(1));
  for (const path of pathsOf(files)) appendFileSync(path, "y");
  expect(hot.changed(() => true)).toEqual(pathsOf(files.slice(1)));
});

test("B18: what may not be looked at, as on a file system that does not answer, is told later", () => {
  const files = filesOf(1, 2);
  const [silent = "", other = ""] = pathsOf(files);
  const hot = new HotFiles();
  choose(hot, files);
  expect(hot.changed((path) => path !== silent)).toEqual([other]);
  expect(hot.changed(() => true)).toEqual([silent]);
});

test("one that is just being written is hot until the next choice, and they are not without end", () => {
  const [written] = pathsOf(filesOf(30));
  const hot = new HotFiles();
  hot.add(written ?? "");
  expect(hot.changed(() => true)).toEqual([written]);
  for (let number = 0; number < 1000; number++) hot.add(`/no/such/${number}.jsonl`);
  expect(hot.changed(() => true)).toHaveLength(599);
  choose(hot, []);
  expect(hot.changed(() => true)).toEqual([]);
});
