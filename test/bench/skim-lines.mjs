#!/usr/bin/env node
// From lines to digests: src/format/skim.ts beside src/format/parse.ts, in one run; and what of that is going through the
// lines. CPU time of all threads, because collecting what was parsed takes some of the others' too.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf } from "../../dist/src/format/digest.js";
import { scanLine } from "../../dist/src/format/line-scan.js";
import { LineTape } from "../../dist/src/format/line-tape.js";
import { parseLine } from "../../dist/src/format/parse.js";
import { skimLine } from "../../dist/src/format/skim.js";
import { makeCorpus } from "./corpus.mjs";
import { inTurn, median } from "./measure.mjs";
import { asMarkdown, timesLess } from "./rows.mjs";

const NEWLINE = 0x0a;
const ROUNDS = 9;
/** Name and scale: many sessions, tens of thousands of small ones, a long one with long lines. */
const CORPORA = [
  ["M", 0.1],
  ["L", 0.1],
  ["B100", 0.5],
];

/** @param {string} root @returns {Buffer[]} */
function linesBelow(root) {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => linesOf(readFileSync(join(root, name))));
}

/** @param {Buffer} bytes */
function linesOf(bytes) {
  const lines = [];
  for (
    let start = 0, end = bytes.indexOf(NEWLINE);
    end >= 0;
    start = end + 1, end = bytes.indexOf(NEWLINE, start)
  ) {
    lines.push(bytes.subarray(start, end));
  }
  return lines;
}

/** How much is said in all. @param {Buffer[]} lines @param {typeof parseLine} understand */
function digested(lines, understand) {
  let spoken = 0;
  for (const line of lines) {
    const parsed = understand(line);
    if (parsed.kind === "entry") spoken += digestOf(parsed.entry).spoken.length;
  }
  return spoken;
}

/** CPU time of a work in ms, and what it gives. @template T @param {() => T} work */
function cpuOf(work) {
  const before = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, value };
}

const rows = [];
for (const [name, scale] of CORPORA) {
  const dir = mkdtempSync(join(tmpdir(), "bench-skim-lines-"));
  try {
    makeCorpus(name, dir, { scale });
    const lines = linesBelow(dir);
    const tape = new LineTape();
    const results = await inTurn(
      {
        parsed: () => cpuOf(() => digested(lines, parseLine)),
        skimmed: () => cpuOf(() => digested(lines, skimLine)),
        parsedOnly: () => cpuOf(() => lines.reduce((sum, line) => sum + parseLine(line).kind.length, 0)),
        scannedOnly: () => cpuOf(() => lines.reduce((sum, line) => sum + (scanLine(line, tape) ? 5 : 6), 0)),
      },
      ROUNDS,
    );
    const [parsed, skimmed, parsedOnly, scannedOnly] = Object.values(results).map((all) => ({
      ms: median(all.map(({ ms }) => ms)),
      value: all[0].value,
    }));
    if (parsed.value !== skimmed.value) throw new Error(`${name}: ${skimmed.value}, not ${parsed.value}`);
    const what = `${name}: ${lines.length} lines of ${Math.round(lines.reduce((sum, { length }) => sum + length, 0) / lines.length)} bytes`;
    rows.push(timesLess(`${what}, digested`, { name: "parsed", value: parsed.ms }, skimmed.ms, null));
    rows.push(
      timesLess(`${what}, gone through`, { name: "parsed", value: parsedOnly.ms }, scannedOnly.ms, null),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
console.log(asMarkdown(rows));
