import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Makes much that lives for a while, as reading very many files does; prints the megabytes of heap at the peak. */
const PROGRAM = `
  const { GarbageBound } = await import(process.argv[1]);
  const bound = new GarbageBound();
  const waiting = [];
  let peak = 0;
  for (let nth = 0; nth < 300_000; nth++) {
    waiting.push(Array.from({ length: 200 }, () => nth));
    if (waiting.length > 40_000) waiting.splice(0, 1000);
    if (process.argv[2] === "bound" && nth % 2000 === 0) bound.check();
    if (nth % 100 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed);
  }
  console.log(Math.round(peak / 1e6));
`;

function peakOf(how: "bound" | "free"): number {
  const module = new URL("../../build/src/runtime/garbage.js", import.meta.url).href;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", PROGRAM, module, how]));
}

test("what has lived for a while is looked through long before V8 would", () => {
  expect(peakOf("free")).toBeGreaterThan(250);
  expect(peakOf("bound")).toBeLessThan(200);
});

/** A program that holds much itself, in which a little is done again and again; prints how often garbage was collected. */
const LARGE_PROGRAM = `
  import { PerformanceObserver, constants } from "node:perf_hooks";
  const { GarbageBound } = await import(process.argv[1]);
  const held = Array.from({ length: 20_000 }, (_, nth) => Array.from({ length: 1000 }, () => nth));
  let whole = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) whole++;
  });
  observer.observe({ entryTypes: ["gc"] });
  for (let nth = 0; nth < 50; nth++) new GarbageBound().check();
  await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(whole, held.length);
`;

test("what a program held before is not looked through again and again", () => {
  const module = new URL("../../build/src/runtime/garbage.js", import.meta.url).href;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", LARGE_PROGRAM, module]);
  const [collections = "", held] = printed.toString().trim().split(" ");
  expect(held).toBe("20000");
  expect(Number(collections)).toBeLessThan(10);
});
