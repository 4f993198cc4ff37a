import { expect, test } from "vitest";
import { Trouble } from "../../../daemon/components/recovery.ts";

const HOUR = 60 * 60_000;
const DAMAGE = "SQLITE_CORRUPT";

/** Trouble with a clock that is set by hand. */
function troubled() {
  const clock = { now: 0, wall: () => clock.now, steady: () => clock.now };
  const events: string[] = [];
  const trouble = new Trouble(clock, { write: (event) => void events.push(event) });
  return { clock, events, trouble };
}

test("what cannot be written is tried again ever later, a minute later at most, until it can", () => {
  const { clock, trouble } = troubled();
  const waits = Array.from({ length: 8 }, () => {
    expect(trouble.note("SQLITE_IOERR", new Error("no"))).toBe("retry");
    const wait = trouble.retryAt - clock.now;
    clock.now = trouble.retryAt;
    return wait / 1000;
  });
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(trouble.reason).toBe("the index cannot be written: no");
  trouble.over();
  expect(trouble.reason).toBeNull();
  trouble.note("SQLITE_IOERR", new Error("no"));
  expect(trouble.retryAt - clock.now).toBe(1000);
});

test("D9, D24: what is damaged is made anew at once, but once an hour and three times a day at most", () => {
  const { clock, trouble } = troubled();
  const remade: number[] = [];
  for (let minute = 0; minute < 36 * 60; minute += 10) {
    clock.now = minute * 60_000;
    if (trouble.note(DAMAGE, new Error("malformed")) !== "remake") continue;
    trouble.remade("index");
    remade.push(clock.now / HOUR);
  }
  expect(remade).toEqual([0, 1, 2, 24, 25, 26]);
});

test("D4: that the disk is full is said once, and over when there is room", () => {
  const { clock, events, trouble } = troubled();
  for (const isFull of [false, true, true]) trouble.disk(isFull);
  expect([trouble.reason, trouble.isDiskFull]).toEqual([
    "the disk that holds the index is almost full",
    true,
  ]);
  expect(trouble.retryAt).toBeGreaterThan(clock.now);
  for (const isFull of [false, false]) trouble.disk(isFull);
  expect([trouble.reason, trouble.isDiskFull, events]).toEqual([null, false, ["disk", "disk"]]);
});

test("room on the disk does not end what is wrong otherwise", () => {
  const { trouble } = troubled();
  trouble.note("SQLITE_IOERR", new Error("no"));
  trouble.disk(false);
  expect(trouble.reason).toMatch(/cannot be written/);
});
