import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatBar, formatSparkline } from "../../../src/cli/output/bars.ts";
import { formatDefinitions, formatSnippet } from "../../../src/cli/output/snippet-lines.ts";
import { amountOf } from "../../../src/cli/terminal/progress.ts";
import { tildePath } from "../../../src/files/paths.ts";
import { shortIds } from "../../../src/format/ids.ts";
import * as numbers from "../../../src/text/numbers.ts";
import { toSafeJson } from "../../../src/text/safe-json.ts";
import { addDays, dayOf, formatWhen } from "../../../src/time/calendar.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test.each([
  [0, "-"],
  [0.001, "<$0.01"],
  [0.005, "$0.01"],
  [1.005, "$1.01"],
  [1234.5, "$1,234.50"],
  [1e6, "$1,000,000.00"],
  [999.999, "$1,000.00"],
  [-2, "-$2.00"],
])("%d dollars read %s", (dollars, text) => {
  expect(numbers.formatMoney(dollars)).toBe(text);
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1.0 KB"],
  [99_960, "100 KB"],
  [999_960, "1.0 MB"],
  [630_000_000, "630 MB"],
  [3_500_000_000, "3.5 GB"],
])("%d bytes read %s", (bytes, text) => {
  expect(numbers.formatBytes(bytes)).toBe(text);
});

test.each([
  [0, "0"],
  [999, "999"],
  [999.6, "1K"],
  [1234, "1.23K"],
  [12_345, "12.3K"],
  [99_960, "100K"],
  [2_000_000, "2M"],
  [1_005_000_000, "1B"],
])("%d is %s for the eye", (count, text) => {
  expect(numbers.formatCompact(count)).toBe(text);
});

test.each([
  [95, "95 ms"],
  [3210, "3.2 s"],
  [59_970, "1 min 0 s"],
  [125_000, "2 min 5 s"],
])("%d ms read %s", (ms, text) => {
  expect(numbers.formatDuration(ms)).toBe(text);
});

test("numbers are counted in words", () => {
  expect([numbers.plural(1, "session"), numbers.plural(1200, "entry", "entries")]).toEqual([
    "1 session",
    "1,200 entries",
  ]);
});

describe("when something was", () => {
  const now = Date.parse("2026-11-03T12:00:00Z");
  test.each([
    ["2026-11-03T11:59:30Z", /^now$/],
    ["2026-11-03T11:55:00Z", /^5 min ago$/],
    ["2026-11-03T03:00:00Z", /^9 h ago$/],
    ["2026-11-02T12:00:00Z", /^yesterday$/],
    ["2026-10-30T12:00:00Z", /^4 days ago$/],
    ["2026-10-28T12:00:00Z", /^6 days ago$/],
    ["2026-10-27T12:00:00Z", /^2026-10-27$/],
    ["2026-11-05T12:00:00Z", /^2026-11-05$/],
  ])("%s", (time, text) => {
    expect(formatWhen(Date.parse(time), now, "UTC")).toMatch(text);
  });

  test("after midnight the last hours are told as hours", () => {
    const night = Date.parse("2026-11-03T02:00:00Z");
    expect(formatWhen(Date.parse("2026-11-02T22:00:00Z"), night, "UTC")).toBe("4 h ago");
    expect(formatWhen(Date.parse("2026-11-02T19:00:00Z"), night, "UTC")).toBe("yesterday");
  });

  test("the day changes at midnight of the zone", () => {
    const time = Date.parse("2026-11-02T14:00:00Z");
    expect(formatWhen(time, now, "UTC")).toBe("yesterday");
    expect(formatWhen(time, now, "Asia/Tokyo")).toBe("yesterday");
    expect(dayOf(Date.parse("2026-11-02T15:00:00Z"), "Asia/Tokyo")).toBe("2026-11-03");
  });

  test("days are counted over the ends of months", () => {
    expect([addDays("2026-03-01", -1), addDays("2024-02-28", 1)]).toEqual(["2026-02-28", "2024-02-29"]);
  });
});

test("a bar grows by eighths, and nothing has none", () => {
  expect([formatBar(1, 1, 4), formatBar(1, 2, 4), formatBar(1, 1000, 4), formatBar(0, 1, 4)]).toEqual([
    "████",
    "██",
    "▏",
    "",
  ]);
  expect(formatBar(0, 0, 4)).toBe("");
});

test("a sparkline has one character a value", () => {
  expect(formatSparkline([0, 1, 4, 8])).toBe("·▂▅█");
  expect(formatSparkline([0, 0])).toBe("··");
});

test.each([
  ["/home/ada", "~"],
  ["/home/ada/x", "~/x"],
  ["/home/adam/x", "/home/adam/x"],
])("%s is shown as %s", (path, shown) => {
  expect(tildePath(path, "/home/ada")).toBe(shown);
});

test("a home that a link leads to is meant by both its names", () => {
  const dir = realpathSync(tempDir());
  mkdirSync(join(dir, "real"));
  symlinkSync(join(dir, "real"), join(dir, "home"), "dir");
  const shown = ["home", "home/x", "real", "real/x", "really"].map((name) =>
    tildePath(join(dir, name), join(dir, "home")),
  );
  expect(shown).toEqual(["~", "~/x", "~", "~/x", join(dir, "really")]);
});

test.each(["", "/"])("a home %j is nobody's", (home) => {
  for (const path of [process.cwd(), "/"]) expect(tildePath(path, home)).toBe(path);
});

test("ids are as short as they can be told apart", () => {
  expect(shortIds(["0199a1b2-aaaa-7", "0199a1b3-aaaa-7"])).toEqual(["0199a1b2", "0199a1b3"]);
  expect(shortIds(["0199a1b2-aaaa-7", "0199a1b2-bbbb-7"])).toEqual(["0199a1b2-aaaa", "0199a1b2-bbbb"]);
  expect(shortIds(["same", "same"])).toEqual(["same", "same"]);
});

describe("a snippet", () => {
  const mark = (text: string): string => `[${text}]`;

  test("marks what matched and stays on one line where nothing limits it", () => {
    expect(formatSnippet("find  the\nword here", [[10, 14]], { width: undefined, mark })).toEqual([
      "find the [word] here",
    ]);
  });

  test("keeps the marks right when control characters go", () => {
    expect(formatSnippet("\u001b[31mred\u001b[0m word", [[13, 17]], { width: undefined, mark })).toEqual([
      "red [word]",
    ]);
  });

  test("breaks at spaces", () => {
    expect(formatSnippet("one two three four", [[4, 13]], { width: 9, mark })).toEqual([
      "one [two]",
      "[three]",
      "four",
    ]);
  });

  test("breaks Chinese and long words anywhere", () => {
    expect(formatSnippet("汉字汉字汉", [], { width: 4, mark })).toEqual(["汉字", "汉字", "汉"]);
    expect(formatSnippet("abcdefgh", [], { width: 5, mark })).toEqual(["abcde", "fgh"]);
    expect(formatSnippet("a bcdefghijklm", [], { width: 8, mark })).toEqual(["a bcdefg", "hijklm"]);
  });

  test("ignores ranges that overlap or are empty", () => {
    expect(
      formatSnippet(
        "abcd",
        [
          [0, 2],
          [1, 3],
          [3, 3],
        ],
        { width: undefined, mark },
      ),
    ).toEqual(["[ab]cd"]);
  });
});

test("sentences go on below themselves", () => {
  const definitions = [
    { terms: ["name", "TEXT"], about: "one two three four five six" },
    { terms: ["x", "INTEGER"], about: "short" },
  ];
  expect(formatDefinitions(definitions, { width: 36, paints: [] })).toEqual([
    "name  TEXT     one two three four",
    "               five six",
    "x     INTEGER  short",
  ]);
});

test("sentences stand below their terms where there is no room beside them", () => {
  const definitions = [
    { terms: ["a_long_name", "TEXT"], about: "one two three four five six" },
    { terms: ["x", "INTEGER"], about: "short" },
  ];
  expect(formatDefinitions(definitions, { width: 24, paints: [] }).map((line) => line.trimEnd())).toEqual([
    "a_long_name  TEXT",
    "  one two three four",
    "  five six",
    "x            INTEGER",
    "  short",
  ]);
  expect(formatDefinitions(definitions, { width: 18, paints: [] })).toEqual([
    "a_long_name  TEXT",
    "  one two three",
    "  four five six",
    "x  INTEGER",
    "  short",
  ]);
});

test("JSON is safe to show and reads back the same", () => {
  const value = {
    text: "\u200e\u200f\u202e\u061c\u2066\u2069\u009b31m\u007f 汉",
    big: 2n ** 60n,
    small: 7n,
    blob: Buffer.from("ab"),
  };
  const json = toSafeJson(value);
  expect(json).not.toMatch(/[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
  expect(JSON.parse(json)).toEqual({ text: value.text, big: "1152921504606846976", small: 7, blob: "6162" });
});

test("progress tells amounts, and the time left once it can be guessed", () => {
  expect(amountOf({ phase: "files", done: 1e6, total: 4e6 }, 500)).toBe("1.0 MB of 4.0 MB");
  expect(amountOf({ phase: "search", done: 1000, total: 4000 }, 10_000)).toBe("1,000 of 4,000, 30 s left");
});

test("the amounts of a table have as many decimals as give the largest four digits, on narrow terminals cents", () => {
  const { decimalsFor, formatMoney } = numbers;
  const most = [0.5, 1.5, 12, 1234];
  expect(most.map((dollars) => formatMoney(dollars, decimalsFor(dollars)))).toEqual([
    "$0.5000",
    "$1.500",
    "$12.00",
    "$1,234.00",
  ]);
  expect([formatMoney(0.00004, 4), formatMoney(0.00005, 4), decimalsFor(0.5, 30)]).toEqual([
    "<$0.0001",
    "$0.0001",
    2,
  ]);
});
