import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { CLOCK, type Clock, INTERVALS, Scheduler } from "../../../daemon/components/scheduler.ts";

const HOUR = 60 * 60_000;

/** What waits by these clocks; twice their tick is what it takes for a pause. */
function waiterOn(clock: Clock): Scheduler {
  return new Scheduler({ clock, intervals: INTERVALS, random: () => 0.5 });
}

/** Two clocks that are set by hand. */
function clocks() {
  const time = { wall: 1e12, steady: 1000 };
  return { time, clock: { wall: () => time.wall, steady: () => time.steady } };
}

test("whoever is woken before it waits does not wait, once", async () => {
  const waiter = waiterOn(CLOCK);
  waiter.wake();
  await waiter.wait(CLOCK.steady() + HOUR);
  const until = CLOCK.steady() + 30;
  await waiter.wait(until);
  // Timers may be a millisecond early.
  expect(CLOCK.steady()).toBeGreaterThanOrEqual(until - 1);
});

test("a wait ends when it is woken, and what is overdue is not waited for", async () => {
  const waiter = waiterOn(CLOCK);
  const waited = waiter.wait(CLOCK.steady() + HOUR);
  await setTimeout(1);
  waiter.wake();
  expect(await waited).toEqual({ jumped: false });
  expect(await waiter.wait(CLOCK.steady() - HOUR)).toEqual({ jumped: false });
});

test.each([
  ["the machine was asleep", 10_000, 0],
  ["the process was stopped", 10_000, 10_000],
  ["the clock was set back", -10_000, 0],
])("C8: it notices that %s while it waited", async (_what, wall, steady) => {
  const { time, clock } = clocks();
  const waiter = waiterOn(clock);
  const waited = waiter.wait(time.steady);
  time.wall += wall;
  time.steady += steady;
  expect(await waited).toEqual({ jumped: true });
  expect(await waiter.wait(time.steady)).toEqual({ jumped: false });
});

test("C8: it notices a clock that was set while it worked", async () => {
  const { time, clock } = clocks();
  const waiter = waiterOn(clock);
  time.wall += 10_000;
  expect(await waiter.wait(time.steady)).toEqual({ jumped: true });
});

test("C8: work that takes long is no jump", async () => {
  const { time, clock } = clocks();
  const waiter = waiterOn(clock);
  time.wall += 10_000;
  time.steady += 10_000;
  expect(await waiter.wait(time.steady)).toEqual({ jumped: false });
});
