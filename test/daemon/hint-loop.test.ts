import { expect, test } from "vitest";
import { HintLoop } from "../../daemon/hint-loop.ts";

test("C3: whoever adds more files than are looked at one by one, everything is looked at instead", () => {
  const asked: number[] = [];
  const hints = new HintLoop({
    clock: { wall: () => 0, steady: () => 7 },
    sweeps: { askFor: (time) => void asked.push(time) },
    removalMs: 0,
    rowsChanged: () => undefined,
  });
  for (let nth = 0; nth < 1000; nth++) hints.add(`/${nth}.jsonl`);
  expect([hints.size, asked]).toEqual([1000, []]);
  hints.add("/last.jsonl");
  expect([hints.size, asked]).toEqual([0, [7]]);
});
