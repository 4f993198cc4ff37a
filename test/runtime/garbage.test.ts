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
