import { expect, test } from "vitest";
import { MemoryReturn } from "../../daemon/memory.ts";

test("memory is given back after a look at everything, if something was read since the last time", () => {
  const memory = new MemoryReturn();
  let shrunk = 0;
  const held = { shrink: () => shrunk++ };
  expect(memory.isDue).toBe(false);
  // To start takes memory, whatever was read.
  memory.noteSweep();
  expect(memory.isDue).toBe(true);
  memory.giveBack(held);
  expect([shrunk, memory.isDue]).toEqual([1, false]);
  memory.noteSweep();
  expect(memory.isDue).toBe(false);
  memory.noteReading();
  expect(memory.isDue).toBe(false);
  memory.noteSweep();
  memory.noteSweep();
  expect(memory.isDue).toBe(true);
});

test("it stays due until it is given back, also without an open index", () => {
  const memory = new MemoryReturn();
  memory.noteReading();
  memory.noteSweep();
  memory.noteReading();
  expect(memory.isDue).toBe(true);
  memory.giveBack(null);
  expect(memory.isDue).toBe(false);
});
