import { afterEach, expect, test, vi } from "vitest";
import { timeUp } from "../../src/runtime/cancellation.ts";

const HOUR = 60 * 60_000;

afterEach(() => {
  vi.useRealTimers();
});

/** A clock that can be set, beside one that only goes on. */
function clocks() {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  return {
    pass: (ms: number) => vi.advanceTimersByTime(ms),
    set: (ms: number) => vi.setSystemTime(Date.now() + ms),
  };
}

test.each([HOUR, -HOUR])(
  "a clock that is set by %i ms meanwhile neither ends work nor keeps it going",
  (jump) => {
    const { pass, set } = clocks();
    const isOver = timeUp({ deadlineMs: Date.now() + 1000 });
    set(jump);
    pass(999);
    expect(isOver()).toBe(false);
    pass(1);
    expect(isOver()).toBe(true);
  },
);

test("what has ended before it began does no step, and without a deadline only the signal ends it", () => {
  expect(timeUp({ deadlineMs: 0 })()).toBe(true);
  const signal = { aborted: false };
  const isOver = timeUp({ signal });
  expect(isOver()).toBe(false);
  signal.aborted = true;
  expect(isOver()).toBe(true);
});
