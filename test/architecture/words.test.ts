import { expect, test } from "vitest";
import { readSources } from "../helpers/source-tree.ts";

/**
 * Words that docs/glossary.md has replaced by the field's own, each with how often it still stands in code and comments:
 * fewer when some go, never more. Names of tables, columns and JSON keys are public, and none of these.
 */
const REPLACED: Record<string, number> = {
  sieve: 0,
  glance: 8,
  assurance: 0,
  certainty: 0,
  succession: 12,
  heir: 9,
  lessons: 0,
  intake: 12,
  restless: 23,
  survey: 21,
  scanRoots: 31,
  settlement: 7,
  shrinking: 9,
  vouch: 14,
  acquit: 3,
  heldIndex: 0,
  indexKeeper: 0,
  holdOffice: 0,
  overtaken: 17,
  wideBeginning: 0,
  manyNames: 0,
  skim: 0,
  digest: 1,
  irregularLine: 0,
  turningEntry: 0,
  keptFile: 17,
  folderListing: 16,
  putAside: 13,
  lossMark: 13,
  unmet: 71,
  touches: 41,
  compoundName: 0,
  foreignWord: 0,
  readAhead: 0,
  hintLoop: 0,
};

const text = readSources("src", "daemon")
  .map((source) => source.text)
  .join("\n");

test("a word that the glossary has replaced comes back nowhere", () => {
  const now = Object.keys(REPLACED).map((word) => [word, countOf(word)] as const);
  expect(now.filter(([word, count]) => count > (REPLACED[word] ?? 0))).toEqual([]);
});

/** As a word of its own, or as a part of a name in camel case. */
function countOf(word: string): number {
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  return text.match(new RegExp(`\\b${word}|${capital}`, "g"))?.length ?? 0;
}
