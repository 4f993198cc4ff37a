import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCorpus } from "./corpus.mjs";

const NEWLINE = 0x0a;
/** Names and scales: many sessions, tens of thousands of small ones, a long one with long lines. */
const CORPORA = [
  ["M", 0.1],
  ["L", 0.1],
  ["B100", 0.5],
];

/**
 * Lines of corpora of several kinds, with a name for each. @param {string} purpose
 * @returns {Generator<{ what: string, lines: Buffer[] }>}
 */
export function* corpusLines(purpose) {
  for (const [name, scale] of CORPORA) {
    const dir = mkdtempSync(join(tmpdir(), `bench-${purpose}-`));
    try {
      makeCorpus(name, dir, { scale });
      const lines = linesBelow(dir);
      const bytes = lines.reduce((sum, { length }) => sum + length, 0);
      yield { what: `${name}: ${lines.length} lines of ${Math.round(bytes / lines.length)} bytes`, lines };
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
}

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

/** The CPU time of a work in ms, of all threads, and its result. @template T @param {() => T} work */
export function cpuOf(work) {
  const before = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, value };
}
