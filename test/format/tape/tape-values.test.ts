import { describe, expect, test } from "vitest";
import { isoTimeAt } from "../../../src/format/tape/tape-values.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

const timeOf = (text: string) => isoTimeAt(Buffer.from(`"${text}"`), 1, Buffer.byteLength(text) + 1);
const two = (most: number) => fc.nat(most).map((number) => String(number).padStart(2, "0"));

describe("a time", () => {
  test("as toISOString writes it is the one Date.parse reads, but for some that are left to that", () => {
    const anyDate = fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    const fields = fc.tuple(fc.nat(9999), two(13), two(32), two(25), two(61), two(61), fc.nat(999));
    const anyFields = fields.map(([year, month, day, hour, minute, second, ms]) => {
      const date = `${String(year).padStart(4, "0")}-${month}-${day}`;
      return `${date}T${hour}:${minute}:${second}.${String(ms).padStart(3, "0")}Z`;
    });
    fc.assert(
      fc.property(fc.oneof(anyDate, anyFields), (text) => {
        const time = timeOf(text);
        if (time !== null) expect(time).toBe(Date.parse(text));
      }),
      { numRuns: runs(5000) },
    );
  });

  test.each(["2025-01-11T15:13:06.631Z", "1970-01-01T00:00:00.000Z", "0100-12-28T23:59:59.999Z"])(
    "is known: %s",
    (text) => {
      expect(timeOf(text)).toBe(Date.parse(text));
    },
  );

  test.each([
    "",
    "2025-01-11",
    "2025-01-11T15:13:06Z",
    "2025-01-11 15:13:06.631Z",
    "2025-01-11T15:13:06.631+",
    "2025-01-11T15:13:06.63 Z",
    "2o25-01-11T15:13:06.631Z",
    "2025-01-11T15:13:06.631z",
    "2025/01/11T15:13:06.631Z",
    "2025-13-11T15:13:06.631Z",
    "2025-01-11T24:00:00.000Z",
    "0050-01-11T15:13:06.631Z",
    "2025-02-30T15:13:06.631Z",
  ])("is left to others: %j", (text) => {
    expect(timeOf(text)).toBeNull();
  });
});
