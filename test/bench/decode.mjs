#!/usr/bin/env node
// Decoding and parsing the lines of session files: src/format/text.ts beside Node's own decoder, in one run.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf } from "../../dist/src/format/text.js";
import { makeCorpus } from "./corpus.mjs";
import { sideBySide } from "./measure.mjs";

const dir = mkdtempSync(join(tmpdir(), "bench-decode-"));

function linesBelow(root) {
  const lines = [];
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".jsonl")) continue;
    const bytes = readFileSync(join(root, name));
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(0x0a, start) + 1 || bytes.length;
      lines.push(bytes.subarray(start, end));
      start = end;
    }
  }
  return lines;
}

try {
  makeCorpus("M", dir, { scale: 0.1 });
  const lines = linesBelow(dir);
  const bytes = lines.reduce((sum, line) => sum + line.length, 0);
  const node = (line) => line.toString("utf8");
  const length = (decode) => lines.reduce((sum, line) => sum + decode(line).length, 0);
  const parsed = (decode) =>
    lines.reduce((sum, line) => sum + Object.keys(JSON.parse(decode(line))).length, 0);
  for (const [what, work] of Object.entries({ decode: length, "decode and parse": parsed })) {
    const { theirs, own } = await sideBySide({ theirs: () => work(node), own: () => work(textOf) });
    if (theirs.value !== own.value) throw new Error(`${what}: ${own.value}, not ${theirs.value}`);
    const speed = ({ ms }) => `${(bytes / 1e3 / ms).toFixed(0)} MB/s`;
    report(`${what}, Node`, speed(theirs));
    report(`${what}, textOf`, speed(own), `${(theirs.ms / own.ms).toFixed(2)}x`);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
