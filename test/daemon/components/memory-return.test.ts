import { expect, test } from "vitest";
import { MemoryReturn } from "../../../daemon/components/index-supervisor.ts";

/** How often an open index was told to give its memory back. */
function counted(memory: MemoryReturn): () => number {
  let times = 0;
  return () => {
    memory.giveBack({ shrink: () => times++ });
    return times;
  };
}

test("memory is given back after a look at everything, if something was read since the last time", () => {
  const memory = new MemoryReturn();
  const times = counted(memory);
  expect(times()).toBe(0);
  // To start takes memory, whatever was read.
  memory.noteSweep();
  expect([times(), times()]).toEqual([1, 1]);
  memory.noteSweep();
  expect(times()).toBe(1);
  memory.noteReading();
  expect(times()).toBe(1);
  memory.noteSweep();
  expect(times()).toBe(2);
});

test("it stays due until that can be done, whatever comes meanwhile", () => {
  const memory = new MemoryReturn();
  memory.noteSweep();
  memory.noteReading();
  memory.noteSweep();
  memory.noteSweep();
  expect([counted(memory)(), counted(memory)()]).toEqual([1, 0]);
});

test("without an open index it is the program's own memory only", () => {
  const memory = new MemoryReturn();
  memory.noteSweep();
  memory.giveBack(null);
  expect(counted(memory)()).toBe(0);
});
