import { expect, test } from "vitest";
import { ChangeQueue, type QueueContext } from "../../../daemon/components/change-queue.ts";
import type { DaemonEvent } from "../../../daemon/components/component.ts";
import { INTERVALS } from "../../../daemon/components/scheduler.ts";

/** A queue of which nothing is to be heard but what it emits and what it indexes. */
function queueOf(options: Partial<QueueContext> = {}) {
  const emitted: DaemonEvent[] = [];
  const synced: string[] = [];
  const sync = (path: string) => {
    synced.push(path);
    return { kind: "done", changed: false } as const;
  };
  const context = {
    clock: { wall: () => 0, steady: () => 7 },
    intervals: INTERVALS,
    roots: { mayLookAt: () => true },
    emit: (event: DaemonEvent) => void emitted.push(event),
    ...options,
  };
  const queue = new ChangeQueue(context, { current: { fileSync: { sync } } });
  return { queue, emitted, synced };
}

test("C3: whoever adds more files than are looked at one by one, everything is looked at instead", () => {
  const { queue, emitted } = queueOf();
  for (let nth = 0; nth < 1000; nth++) queue.handle({ kind: "pathChanged", path: `/${nth}.jsonl` });
  expect([queue.size, emitted]).toEqual([1000, []]);
  queue.handle({ kind: "pathChanged", path: "/last.jsonl" });
  expect([queue.size, emitted]).toEqual([0, [{ kind: "sweepNeeded", by: 7 }]]);
});

test("B18: a file whose file system has come to hang is not looked at, and is found by the sweep when that answers", () => {
  const { queue, synced } = queueOf({ roots: { mayLookAt: (path) => !path.startsWith("/silent/") } });
  for (const path of ["/silent/a.jsonl", "/there/b.jsonl"]) queue.handle({ kind: "pathChanged", path });
  queue.work();
  expect([synced, queue.size]).toEqual([["/there/b.jsonl"], 0]);
});
