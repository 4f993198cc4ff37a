import { expect, test } from "vitest";
import { INTERVALS, type Intervals, Scheduler } from "../../../daemon/components/scheduler.ts";

const NOW = 1000;
const MINUTE = 60_000;
const HALF_A_MINUTE = INTERVALS.hotMs;
/** In the middle of the tenth by which sweeps are spread. */
const middle = () => 0.5;
const QUIET = { tookMs: 10, polling: false, again: false };
const WELL = { waits: false };

function schedulerOf(intervals: Intervals, random: () => number): Scheduler {
  return new Scheduler({ clock: { wall: () => NOW, steady: () => NOW }, intervals, random });
}

/** A schedule whose first sweep has just ended. */
function swept(options: Partial<typeof QUIET> = {}, random = middle): Scheduler {
  const schedule = schedulerOf(INTERVALS, random);
  schedule.swept(NOW, { ...QUIET, ...options });
  return schedule;
}

test("the first sweep is due at once, the next one after its interval, a tenth sooner or later", () => {
  expect(schedulerOf(INTERVALS, middle).sweepAt).toBe(NOW);
  const [soonest, latest] = [swept({}, () => 0), swept({}, () => 1)];
  expect(soonest.sweepAt).toBeCloseTo(NOW + 4.5 * MINUTE);
  expect(latest.sweepAt).toBeCloseTo(NOW + 5.5 * MINUTE);
});

test("while nothing tells of changes sweeps follow each other after seconds", () => {
  expect(swept({ polling: true }).sweepAt).toBeCloseTo(NOW + INTERVALS.pollMs);
});

test("whatever asks for them, sweeps take a twentieth of the time at most", () => {
  const schedule = swept({ tookMs: 1000 });
  schedule.sweepBy(NOW + 1);
  expect(schedule.sweepAt).toBe(NOW + 20_000);
  expect(swept({ tookMs: 1000, again: true }).sweepAt).toBe(NOW + 20_000);
  expect(swept({ tookMs: 1000, polling: true }).sweepAt).toBe(NOW + 20_000);
});

test("where sweeps take long an idle daemon makes fewer, but not without end", () => {
  expect(swept({ tookMs: 100 }).sweepAt).toBeCloseTo(NOW + 600_000);
  expect(swept({ tookMs: 10_000 }).sweepAt).toBeCloseTo(NOW + 15 * MINUTE);
});

test("what a sweep may have missed is looked for again, what is asked for later waits", () => {
  const again = swept({ again: true });
  expect(again.sweepAt).toBe(NOW + 200);
  const asked = swept();
  asked.sweepBy(NOW + 5000);
  asked.sweepBy(NOW + 6000);
  expect(asked.sweepAt).toBe(NOW + 5000);
});

test("what is due next is whatever comes first", () => {
  const schedule = swept();
  expect(schedule.nextAt()).toBe(NOW + INTERVALS.tickMs);
  schedule.ticked(NOW + 1000, WELL);
  expect(schedule.nextAt()).toBe(NOW + 1000 + INTERVALS.tickMs);
  schedule.ticked(NOW + HALF_A_MINUTE, WELL);
  expect(schedule.nextAt()).toBeCloseTo(NOW + HALF_A_MINUTE);
  schedule.polledHotFiles(NOW + HALF_A_MINUTE);
  expect(schedule.nextAt()).toBe(NOW + HALF_A_MINUTE + INTERVALS.tickMs);
});

test("while nothing happens ticks come with the looks at the newest files, but not when they are waited for", () => {
  const schedule = swept();
  const { tickMs } = INTERVALS;
  schedule.polledHotFiles(NOW + MINUTE - 2);
  schedule.ticked(NOW + MINUTE - 1, WELL);
  expect(schedule.tickAt).toBe(NOW + MINUTE - 1 + tickMs);
  schedule.ticked(NOW + MINUTE, { waits: true });
  expect(schedule.tickAt).toBe(NOW + MINUTE + tickMs);
  schedule.ticked(NOW + MINUTE, WELL);
  expect(schedule.tickAt).toBe(schedule.hotAt);
  expect(schedule.tickAt).toBeCloseTo(NOW + MINUTE - 2 + HALF_A_MINUTE);
});

test("the longer nothing happens, the rarer the process wakes, for a tick and a look at the newest files at once", () => {
  const schedule = swept();
  const waits: number[] = [];
  for (let now = NOW + MINUTE; waits.length < 5; now = schedule.nextAt()) {
    schedule.ticked(now, WELL);
    schedule.polledHotFiles(now);
    schedule.sweepAt = Number.POSITIVE_INFINITY;
    expect(schedule.tickAt).toBe(schedule.hotAt);
    waits.push(schedule.nextAt() - now);
  }
  expect(waits).toEqual([1, 2, 4, 5, 5].map((minutes) => expect.closeTo(minutes * MINUTE)));
});

test("a look at the newest files that cannot be made does not keep ticks from being two seconds apart", () => {
  const schedule = swept();
  const now = NOW + 2 * MINUTE;
  schedule.ticked(now, WELL);
  expect(schedule.tickAt).toBe(now + INTERVALS.tickMs);
});

test("what happens after a quiet time is followed by a tick as soon as at any other time", () => {
  const schedule = swept();
  schedule.ticked(NOW + MINUTE, WELL);
  schedule.polledHotFiles(NOW + MINUTE);
  schedule.noteActivity(NOW + MINUTE + 1000);
  expect(schedule.tickAt).toBe(NOW + MINUTE + 1000 + INTERVALS.tickMs);
  schedule.noteActivity(NOW + MINUTE + 2000);
  schedule.polledHotFiles(NOW + MINUTE + 2000);
  expect(schedule.tickAt).toBe(NOW + MINUTE + 1000 + INTERVALS.tickMs);
  schedule.ticked(NOW + MINUTE + 3000, WELL);
  expect(schedule.tickAt).toBe(NOW + MINUTE + 3000 + INTERVALS.tickMs);
});

test("sweeps, which look at the newest files, too, do not put off ticks", () => {
  const schedule = swept();
  schedule.ticked(NOW + 5 * MINUTE, WELL);
  schedule.polledHotFiles(NOW + 5 * MINUTE);
  expect(schedule.tickAt).toBeCloseTo(NOW + 10 * MINUTE);
  schedule.swept(NOW + 9 * MINUTE, QUIET);
  schedule.polledHotFiles(NOW + 9 * MINUTE);
  expect(schedule.tickAt).toBeCloseTo(NOW + 10 * MINUTE);
  schedule.ticked(NOW + 10 * MINUTE, WELL);
  expect(schedule.tickAt).toBe(schedule.hotAt);
});

test("what happens after a quiet time is followed by a look at the newest files as soon as at any other time", () => {
  const schedule = swept();
  schedule.ticked(NOW + 2 * MINUTE, WELL);
  schedule.polledHotFiles(NOW + 2 * MINUTE);
  expect(schedule.hotAt).toBeCloseTo(NOW + 4 * MINUTE);
  schedule.noteActivity(NOW + 2 * MINUTE + 1000);
  expect(schedule.hotAt).toBe(NOW + 2 * MINUTE + 1000 + HALF_A_MINUTE);
});

test("ticks that were asked to be rarer are not made more frequent by quiet", () => {
  const schedule = schedulerOf({ ...INTERVALS, tickMs: MINUTE }, () => 0.5);
  schedule.ticked(NOW + MINUTE, WELL);
  expect(schedule.tickAt).toBe(NOW + 2 * MINUTE);
});
