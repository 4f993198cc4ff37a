import { expect, test } from "vitest";
import { IndexRecovery } from "../../../daemon/components/index-recovery.ts";

const HOUR = 60 * 60_000;
const DAMAGE = "SQLITE_CORRUPT";

/** A policy with a clock that is set by hand. */
function policy() {
  const clock = { now: 0, wall: () => clock.now, steady: () => clock.now };
  return { clock, recovery: new IndexRecovery(clock, { write: () => undefined }) };
}

test("what cannot be written is tried again ever later, a minute later at most, until it can", () => {
  const { clock, recovery } = policy();
  const waits = Array.from({ length: 8 }, () => {
    expect(recovery.note("SQLITE_IOERR", new Error("no"))).toBe("retry");
    const wait = recovery.retryAt - clock.now;
    clock.now = recovery.retryAt;
    return wait / 1000;
  });
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(recovery.reason).toBe("the index cannot be written: no");
  recovery.over();
  expect(recovery.reason).toBeNull();
  recovery.note("SQLITE_IOERR", new Error("no"));
  expect(recovery.retryAt - clock.now).toBe(1000);
});

test("D9, D24: what is damaged is made anew at once, but once an hour and three times a day at most", () => {
  const { clock, recovery } = policy();
  const rebuilt: number[] = [];
  for (let minute = 0; minute < 36 * 60; minute += 10) {
    clock.now = minute * 60_000;
    if (recovery.note(DAMAGE, new Error("malformed")) !== "rebuild") continue;
    recovery.rebuilt("index");
    rebuilt.push(clock.now / HOUR);
  }
  expect(rebuilt).toEqual([0, 1, 2, 24, 25, 26]);
});
