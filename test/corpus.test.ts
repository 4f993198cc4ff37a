import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCorpus, measureCorpus } from "./bench/corpus.mjs";
import { countFolder } from "./helpers/independent-count.ts";
import { readSessionsFolder } from "./helpers/independent-read.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const program = join(import.meta.dirname, "bench", "corpus.mjs");

/** A digest of every file's bytes, without what says where the corpus lies. */
function digestOf(root: string): string {
  const hash = createHash("sha256");
  for (const { path } of readSessionsFolder(root)) {
    hash.update(path.slice(root.length)).update(readFileSync(path, "utf8").replaceAll(root, ""));
  }
  return hash.digest("hex");
}

test("a small corpus has the proportions of the large one", () => {
  const root = tempDir();
  makeCorpus("M", root, { scale: 0.02 });
  const measured = measureCorpus(root);
  expect(measured).toMatchObject({ sessions: 60, projects: 20 });
  const near = (value: number, wanted: number, tolerance: number) =>
    expect(Math.abs(value / wanted - 1)).toBeLessThan(tolerance);
  near(measured.bytes, 12.6e6, 0.02);
  near(measured.medianFile, 97e3, 0.15);
  near(measured.bytesPerLine, 2300, 0.05);
  near(measured.percent.text, 60, 0.05);
  near(measured.percent.images, 6, 0.15);
  near(measured.percent.signatures, 12, 0.1);
  // As often as in what people and models wrote: the size of the full text and the time it takes depend on it.
  near(measured.timesEachWord.inToolOutputs, 2.1, 0.15);
  near(measured.timesEachWord.inSessions, 16, 0.2);
  expect(measured.forks).toBeGreaterThan(0);
  expect(measured.percent.chineseAndJapanese).toBeGreaterThan(0);
});

test("a seed makes the same corpus again, in a folder of any name, and another seed another", () => {
  const [one, two, three] = [tempDir(), tempDir("a-much-longer-name-"), tempDir()];
  makeCorpus("L", one, { scale: 0.005 });
  makeCorpus("L", two, { scale: 0.005 });
  makeCorpus("L", three, { scale: 0.005, seed: 2 });
  expect(digestOf(two)).toBe(digestOf(one));
  expect(digestOf(three)).not.toBe(digestOf(one));
});

test("every line parses and what forks copied is money spent once", () => {
  const root = tempDir();
  makeCorpus("L", root, { scale: 0.02 });
  const { files, totals, copies } = countFolder(root);
  expect(files).toHaveLength(400);
  expect(files.filter((file) => file.malformed > 0 || file.entryCount === 0)).toEqual([]);
  expect(copies.requests).toBeGreaterThan(0);
  expect(totals.cost).toBeGreaterThan(copies.cost);
});

test("the single long session is one chain of exactly so many entries, compacted once near its end", () => {
  const root = tempDir();
  makeCorpus("B100", root, { scale: 0.02 });
  const [{ entries } = { entries: [] }] = readSessionsFolder(root);
  expect(entries).toHaveLength(400);
  expect(entries.every(({ value }, n) => value.parentId === (entries[n - 1]?.id ?? null))).toBe(true);
  const compactions = entries.flatMap(({ type }, n) => (type === "compaction" ? [n] : []));
  expect(compactions).toHaveLength(1);
  expect(compactions[0]).toBeGreaterThanOrEqual(388);
});

test("the program says what it made, and refuses unknown corpora and folders in use", () => {
  const root = tempDir();
  const run = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  const made = run("M", root, "--scale", "0.002", "--stats");
  expect(made.status).toBe(0);
  expect(JSON.parse(made.stdout)).toHaveProperty("sessions", 6);
  expect(run("M", root).stderr).toContain("is not empty");
  expect(run("X", root).status).toBe(2);
});
