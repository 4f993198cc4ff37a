import { describe, expect, test } from "vitest";
import { assertValidSessionId, drawEntryId, SessionIds } from "../../src/format/ids.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("F1: session ids", () => {
  test("are UUIDs of version 7 that hold the time", () => {
    const id = new SessionIds().next(0x0123_4567_89ab);
    expect(id).toMatch(UUID_V7);
    expect(id.slice(0, 13)).toBe("01234567-89ab");
  });

  test("grow, also in one millisecond, beyond the counter, and when the clock goes back", () => {
    const ids = new SessionIds();
    const drawn = Array.from({ length: 10_000 }, (_, at) => ids.next(at < 9000 ? 1000 : 500));
    expect(drawn).toEqual([...drawn].sort());
    expect(new Set(drawn).size).toBe(drawn.length);
    for (const id of drawn) expect(id).toMatch(UUID_V7);
  });

  test.each(["a", "A-b_c.9", "00"])("%s may be chosen", (id) => {
    expect(() => assertValidSessionId(id)).not.toThrow();
  });

  test.each(["", "../x", "a/b", "a b", ".a", "a-", "a\n", "ä"])("%j may not", (id) => {
    expect(() => assertValidSessionId(id)).toThrow("Session id must be non-empty");
  });
});

test("entry ids are eight hex characters that are free, or a UUID where none is", () => {
  expect(drawEntryId(new Set())).toMatch(/^[0-9a-f]{8}$/);
  expect(drawEntryId({ has: () => true })).toHaveLength(36);
});
