import { expect, test } from "vitest";
import { areAllWithin } from "../../src/filters/where.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { openIndex } from "../../src/store/open.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test.each<[string, string[], string[], boolean]>([
  ["one root holds them all", ["a/1", "a/b/2"], ["a"], true],
  ["a folder's name goes on with a sign that sorts before the separator", ["a/1", "a-b/2"], ["a"], false],
  ["a folder's name goes on with a letter", ["a/1", "ab/2"], ["a"], false],
  ["one lies before", ["a/1", "b/2"], ["b"], false],
  ["one lies between two roots", ["a/1", "b/2", "c/3"], ["c", "a"], false],
  ["two roots hold them all", ["a/1", "c/3"], ["c", "a"], true],
  ["one root lies in another", ["a/1", "a/b/2", "a/c/3"], ["a/b", "a"], true],
  ["the roots are in no order", ["a/b/2", "a/c/3"], ["a/c", "a/b"], true],
  ["a root is a file", ["a/1", "a/2"], ["a/1.jsonl", "a/2.jsonl"], true],
  ["there are no roots", ["a/1"], [], false],
  ["there are no files", [], [], true],
])("whether every file lies within the roots is told when %s", (_when, files, roots, expected) => {
  const root = tempDir();
  for (const file of files) session().user("pear").write(`${root}/${file}.jsonl`);
  const index = openIndex(indexIn(tempDir()));
  syncAll(index, [root]);
  const answer = areAllWithin(
    index.database,
    roots.map((each) => `${root}/${each}`),
  );
  index.close();
  expect(answer).toBe(expected);
});
