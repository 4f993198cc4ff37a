/** Repetitions, medians and child processes for the benches. */
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
 * Runs a work once, and returns how many milliseconds it took, and its result.
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
 * Runs the works in turn, round by round, so that a disturbance hits all of them. Returns every result by name.
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
 * Times the works in turn, and returns for each the median, and the result of the last round.
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
 * Runs child.mjs in a child process, and returns what it prints as JSON.
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
 * The peak of this process's resident memory, in MB. On Linux not by `maxRSS`, which begins with the parent's; the
 * number in /proc begins with the program.
 */
export function peakMb() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

/** A module to be preloaded, which writes a Node process's peak of memory to a file when it exits. */
const PEAK = `process.on("exit", () => {
  const { readFileSync, writeFileSync } = require("node:fs");
  const peakMb = ${peakMb};
  writeFileSync(process.env.BENCH_PEAK, String(peakMb()));
})`;

/**
 * Runs a command of this program as a shell would: how long it took, its output, its peak of memory in MB.
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

export const project = fileURLToPath(new URL("../..", import.meta.url));
