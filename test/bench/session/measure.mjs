/** Repeats, medians and child processes for the benches. */
import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";

export const REPEATS = 7;

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
 * Runs the works in turn, round by round, so that what disturbs one disturbs all; medians by name.
 * @param {Record<string, () => unknown>} works
 * @param {number} [repeats]
 * @returns {Promise<Record<string, { ms: number, value: any }>>}
 */
export async function sideBySide(works, repeats = REPEATS) {
  /** @type {Record<string, number[]>} */
  const times = {};
  /** @type {Record<string, unknown>} */
  const values = {};
  for (let round = 0; round < repeats; round++) {
    for (const [name, work] of Object.entries(works)) {
      const { ms, value } = await timed(work);
      times[name] = [...(times[name] ?? []), ms];
      values[name] = value;
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, all]) => [name, { ms: median(all), value: values[name] }]),
  );
}

/**
 * What a child process prints as JSON. It runs child.mjs beside this file.
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
export function inChild(args, env = {}) {
  const child = new URL("child.mjs", import.meta.url).pathname;
  const run = spawnSync(process.execPath, ["--expose-gc", child, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (run.status !== 0) throw new Error(`${args.join(" ")}: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

/** @param {string} text @param {number} length */
function padded(text, length) {
  return text.padEnd(length);
}

/**
 * One line: what, how long, and how that stands to something else.
 * @param {string} what
 * @param {string} measured
 * @param {string} [ratio]
 */
export function report(what, measured, ratio = "") {
  console.log(`${padded(what, 52)} ${measured.padStart(12)}  ${ratio}`);
}

/** @param {number} value */
export function inMs(value) {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}

/**
 * A ratio and whether it reaches its target.
 * @param {number} ratio
 * @param {number} target
 * @param {"atLeast" | "atMost"} sense
 */
export function against(ratio, target, sense) {
  const reached = sense === "atLeast" ? ratio >= target : ratio <= target;
  const shown = ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2);
  const sign = sense === "atLeast" ? ">=" : "<=";
  return `${shown}x (target ${sign} ${target}x)${reached ? "" : "  MISSED"}`;
}
