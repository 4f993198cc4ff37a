#!/usr/bin/env node
// Finds words in session files with src/search/substring/needle.ts and with Node's own `indexOf`, in one run.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BytesFinder } from "../../build/src/search/substring/needle.js";
import { makeCorpus } from "./corpus.mjs";
import { sideBySide } from "./measure.mjs";
import { asMarkdown, timesLess } from "./rows.mjs";

const WORDS = [
  "sessionManager",
  "tokenizer",
  "assistant",
  "Unterwegs",
  "原因分词",
  "retry",
  "the quick",
  "jq",
];

const dir = mkdtempSync(join(tmpdir(), "bench-find-bytes-"));

function filesBelow(root) {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => readFileSync(join(root, name)));
}

/** Counts how often something is found. @param {(bytes: Buffer, from: number) => number} next */
function count(files, next) {
  let found = 0;
  for (const bytes of files) for (let at = next(bytes, 0); at >= 0; at = next(bytes, at + 1)) found++;
  return found;
}

try {
  makeCorpus("M", dir, { scale: 0.1 });
  const files = filesBelow(dir);
  const rows = [];
  for (const word of WORDS) {
    const wanted = Buffer.from(word);
    const finder = new BytesFinder(wanted);
    const { theirs, own } = await sideBySide({
      theirs: () => count(files, (all, from) => all.indexOf(wanted, from)),
      own: () => count(files, (all, from) => finder.next(all, from)),
    });
    if (theirs.value !== own.value) throw new Error(`${word}: ${own.value}, not ${theirs.value}`);
    const what = `${word}, which stands there ${own.value} times`;
    rows.push(timesLess(what, { name: "indexOf", value: theirs.ms }, own.ms, null));
  }
  console.log(asMarkdown(rows));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
