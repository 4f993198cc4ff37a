/** Repeats, medians and child processes for the benches. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";

export const REPEATS = 5;

/** @param {number[]} values */
export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/**
 * Milliseconds of one run, and what it returned.
 * @template T
 * @param {() => T | Promise<T>} work
 * @returns {Promise<{ ms: number, value: T }>}
 */
export async function timed(work) {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

/**
 * Runs the works in turn, round by round, so that what disturbs one disturbs all. Every result by name.
 * @template T
 * @param {Record<string, () => T | Promise<T>>} works
 * @param {number} [repeats]
 * @returns {Promise<Record<string, T[]>>}
 */
export async function inTurn(works, repeats = REPEATS) {
  /** @type {Record<string, T[]>} */
  const results = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  for (let round = 0; round < repeats; round++) {
    for (const [name, work] of Object.entries(works)) results[name].push(await work());
  }
  return results;
}

/**
 * Times the works in turn: the median, and what the last round returned.
 * @param {Record<string, () => unknown>} works
 * @param {number} [repeats]
 * @returns {Promise<Record<string, { ms: number, value: any }>>}
 */
export async function sideBySide(works, repeats = REPEATS) {
  const timedWorks = Object.entries(works).map(([name, work]) => [name, () => timed(work)]);
  const results = await inTurn(Object.fromEntries(timedWorks), repeats);
  return Object.fromEntries(
    Object.entries(results).map(([name, all]) => [
      name,
      { ms: median(all.map(({ ms }) => ms)), value: all.at(-1).value },
    ]),
  );
}

/**
 * What a child process prints as JSON. It runs child.mjs beside this file.
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
export function inChild(args, env = {}) {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, "child.mjs"), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (run.status !== 0) throw new Error(`${args.join(" ")}: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

/**
 * Resident memory of this process at its peak, in MB. Linux lets a process begin with what `maxRSS` its parent had;
 * what /proc says begins with the program.
 */
export function peakMb() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

/** Told by a preloaded module at the exit of a Node process: memory at its peak. */
const PEAK = `process.on("exit", () => {
  const { readFileSync, writeFileSync } = require("node:fs");
  const peakMb = ${peakMb};
  writeFileSync(process.env.BENCH_PEAK, String(peakMb()));
})`;

/**
 * A whole command of ours, as a shell would start it: how long it took, its output, its memory at the peak in MB.
 * @param {string} main
 * @param {string[]} args
 */
export function command(main, args) {
  const dir = mkdtempSync(join(tmpdir(), "bench-peak-"));
  const preload = join(dir, "peak.cjs");
  const peak = join(dir, "peak");
  try {
    writeFileSync(preload, PEAK);
    const start = performance.now();
    const run = spawnSync(process.execPath, ["--require", preload, main, ...args], {
      encoding: "utf8",
      env: { ...process.env, BENCH_PEAK: peak },
      maxBuffer: 64 * 1024 * 1024,
    });
    const ms = performance.now() - start;
    if (run.status !== 0) throw new Error(`sessiondb ${args.join(" ")}: ${run.stderr}`);
    return { ms, stdout: run.stdout, peakMb: Number(readFileSync(peak, "utf8")) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** @param {string} path a file's */
export function moduleAt(path) {
  return import(pathToFileURL(path).href);
}

/** @param {string} what @param {unknown} own @param {unknown} theirs */
export function assertEqual(what, own, theirs) {
  if (own !== theirs) throw new Error(`${what}: ours ${own}, theirs ${theirs}`);
}

export const project = fileURLToPath(new URL("../../", import.meta.url));
