import { expect, test } from "vitest";
import { HintLoop, type HintLoopOptions } from "../../../daemon/components/change-queue.ts";

/** A loop of which nothing is to be heard but how often it asks for a look at everything, and by when. */
function loopOf(options: Partial<HintLoopOptions> = {}) {
  const asked: number[] = [];
  const hints = new HintLoop({
    clock: { wall: () => 0, steady: () => 7 },
    sweeps: { askFor: (time) => void asked.push(time) },
    roots: { mayLookAt: () => true },
    removalMs: 0,
    rowsChanged: () => undefined,
    ...options,
  });
  return { hints, asked };
}

test("C3: whoever adds more files than are looked at one by one, everything is looked at instead", () => {
  const { hints, asked } = loopOf();
  for (let nth = 0; nth < 1000; nth++) hints.add(`/${nth}.jsonl`);
  expect([hints.size, asked]).toEqual([1000, []]);
  hints.add("/last.jsonl");
  expect([hints.size, asked]).toEqual([0, [7]]);
});

test("B18: a file whose file system has come to hang is not looked at, and is found by the sweep when that answers", () => {
  const { hints } = loopOf({ roots: { mayLookAt: (path) => !path.startsWith("/silent/") } });
  const looked: string[] = [];
  const look = (path: string) => {
    looked.push(path);
    return { kind: "done", changed: false } as const;
  };
  for (const path of ["/silent/a.jsonl", "/there/b.jsonl"]) hints.add(path);
  hints.work({ look });
  expect([looked, hints.size]).toEqual([["/there/b.jsonl"], 0]);
});
