import { expect, test } from "vitest";
import { readSources } from "../helpers/source-tree.ts";

/** Words that docs/glossary.md has replaced by the field's own. */
const REPLACED = [
  "acquit",
  "assurance",
  "certainty",
  "compoundName",
  "entryDigest",
  "folderListing",
  "foreignWord",
  "glance",
  "heir",
  "heldIndex",
  "hintLoop",
  "holdOffice",
  "indexKeeper",
  "intake",
  "irregularLine",
  "keptFile",
  "lessons",
  "lossMark",
  "manyNames",
  "overtaken",
  "putAside",
  "readAhead",
  "readingJournal",
  "restless",
  "settlement",
  "shrinking",
  "sieve",
  "skim",
  "succession",
  "survey",
  "turningEntry",
  "unmet",
  "vouch",
  "wideBeginning",
];

/** Names that are older than their words, and public: of the library's `SyncRun`, and of lines in the daemon's log. */
const PUBLIC = /\bget restless\(\)|\brun\.restless\b|`\$\{what\}PutAside`/g;

const sources = readSources("src", "daemon");

test("a word that the glossary has replaced comes back nowhere", () => {
  const found = sources.flatMap(({ path, text }) => {
    const own = text.replace(PUBLIC, "");
    return REPLACED.filter((word) => stands(word, own)).map((word) => `${path}: ${word}`);
  });
  expect(found).toEqual([]);
});

/** As a word of its own, or as a part of a name in camel case. */
function stands(word: string, text: string): boolean {
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  return new RegExp(`\\b${word}|${capital}`).test(text);
}
