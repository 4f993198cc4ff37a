import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { searchEntries } from "../../src/search/search.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Writes sessions that say one word each. */
function write(root: string, words: string[]): void {
  for (const word of words)
    session({ id: `s-${word}` })
      .user(`about ${word}`)
      .write(join(root, `${word}.jsonl`));
}

function copyRows(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from).filter((each) => each.startsWith("index-"))) {
    copyFileSync(join(from, name), join(to, name));
  }
}

function hitsOf(folder: string, root: string, words: string[]): number[] {
  return withIndex(folder, (index) => {
    syncAll(index, [root]);
    feedSearch(index);
    return words.map(
      (word) => searchEntries(index, word).hits.filter((hit) => hit.snippet.includes(word)).length,
    );
  });
}

test("D10: an index put back to an earlier state does not get other entries' words", () => {
  const [root, folder, backup] = [tempDir(), tempDir(), tempDir()];
  write(root, ["apple"]);
  withIndex(folder, (index) => {
    syncAll(index, [root]);
    feedSearch(index);
  });
  copyRows(folder, backup);
  write(root, ["birch", "cedar"]);
  expect(hitsOf(folder, root, ["birch", "cedar"])).toEqual([1, 1]);
  copyRows(backup, folder);
  rmSync(join(root, "birch.jsonl"));
  write(root, ["damson", "elder"]);
  const words = ["apple", "birch", "cedar", "damson", "elder"];
  expect(hitsOf(folder, root, words)).toEqual([1, 0, 1, 1, 1]);
  withIndex(folder, (index) => {
    expect(words.map((word) => searchEntries(index, word).total)).toEqual([1, 0, 1, 1, 1]);
  });
});

test("D10: before the full text of an index put back has begun anew, nothing is found, and all of it is behind", () => {
  const [root, folder, backup] = [tempDir(), tempDir(), tempDir()];
  write(root, ["apple"]);
  expect(hitsOf(folder, root, ["apple"])).toEqual([1]);
  copyRows(folder, backup);
  write(root, ["birch"]);
  expect(hitsOf(folder, root, ["birch"])).toEqual([1]);
  copyRows(backup, folder);
  rmSync(join(root, "birch.jsonl"));
  write(root, ["cedar"]);
  takeInRows(folder, root);
  withIndex(folder, (index) => {
    const found = ["apple", "birch", "cedar"].map((word) => searchEntries(index, word));
    expect(found.map(({ total, behind }) => [total, behind])).toEqual([
      [0, 2],
      [0, 2],
      [0, 2],
    ]);
  });
});

test.each(["apple", "birch"])(
  "D10: of an index put back to before the removal of %s all is found again",
  (gone) => {
    const [root, folder, backup, away] = [tempDir(), tempDir(), tempDir(), tempDir()];
    const words = ["apple", "birch", "cedar", "damson"];
    write(root, words);
    expect(hitsOf(folder, root, words)).toEqual([1, 1, 1, 1]);
    copyRows(folder, backup);
    renameSync(join(root, `${gone}.jsonl`), join(away, `${gone}.jsonl`));
    expect(hitsOf(folder, root, words)).toEqual(words.map((word) => Number(word !== gone)));
    renameSync(join(away, `${gone}.jsonl`), join(root, `${gone}.jsonl`));
    copyRows(backup, folder);
    expect(hitsOf(folder, root, words)).toEqual([1, 1, 1, 1]);
  },
);

test("D10: of an index put back to fewer entries than the full text has seen, new ones are found", () => {
  const [root, folder, backup] = [tempDir(), tempDir(), tempDir()];
  write(root, ["apple"]);
  expect(hitsOf(folder, root, ["apple"])).toEqual([1]);
  copyRows(folder, backup);
  session({ id: "s-birch" }).user("about birch").assistant().user("more").write(join(root, "birch.jsonl"));
  expect(hitsOf(folder, root, ["apple", "birch"])).toEqual([1, 1]);
  copyRows(backup, folder);
  rmSync(join(root, "birch.jsonl"));
  write(root, ["cedar"]);
  expect(hitsOf(folder, root, ["apple", "birch", "cedar"])).toEqual([1, 0, 1]);
});

/** As questions that need no full text do: takes in what is new, and leaves the full text behind. */
function takeInRows(folder: string, root: string): void {
  withIndex(folder, (index) => void syncAll(index, [root]));
}

test("D10: of an index put back, also when the last entry that the full text has seen has another one's key, which is gone", () => {
  const [root, folder, backup] = [tempDir(), tempDir(), tempDir()];
  write(root, ["apple"]);
  expect(hitsOf(folder, root, ["apple"])).toEqual([1]);
  copyRows(folder, backup);
  session({ id: "s-birch" }).user("about birch").user("more birch").write(join(root, "birch.jsonl"));
  expect(hitsOf(folder, root, ["birch"])).toEqual([2]);
  copyRows(backup, folder);
  rmSync(join(root, "birch.jsonl"));
  write(root, ["cedar"]);
  takeInRows(folder, root);
  // This one gets the key that the full text knows as the last of the birch, and gives it up again.
  write(root, ["damson"]);
  takeInRows(folder, root);
  rmSync(join(root, "damson.jsonl"));
  takeInRows(folder, root);
  expect(hitsOf(folder, root, ["apple", "birch", "cedar", "damson"])).toEqual([1, 0, 1, 0]);
});

test("D10: of an index put back, also when the same entry is the last one again, after others in another order", () => {
  const [root, folder, backup] = [tempDir(), tempDir(), tempDir()];
  write(root, ["apple"]);
  expect(hitsOf(folder, root, ["apple"])).toEqual([1]);
  copyRows(folder, backup);
  const words = ["birch", "cedar", "damson"];
  for (const word of words) {
    write(root, [word]);
    takeInRows(folder, root);
  }
  expect(hitsOf(folder, root, words)).toEqual([1, 1, 1]);
  copyRows(backup, folder);
  for (const word of words) rmSync(join(root, `${word}.jsonl`));
  for (const word of ["cedar", "birch", "damson"]) {
    write(root, [word]);
    takeInRows(folder, root);
  }
  expect(hitsOf(folder, root, words)).toEqual([1, 1, 1]);
});
