import stringWidth from "string-width";
import { describe, expect, test, vi } from "vitest";
import { type Column, formatTable } from "../../../src/cli/output/table.ts";
import { clustersOf, cut, pad, widthOf } from "../../../src/text/width.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

const COLUMNS: Column[] = [
  { title: "Id" },
  { title: "Title", shrinkTo: 10 },
  { title: "Project", shrinkTo: 8, cut: "start", expendable: 2 },
  { title: "Cost", align: "right", expendable: 1 },
];
const ROWS = [
  ["0199a1b2", "修复登录页面的国际化问题与更多文字", "~/work/very/long/path/to/the/project", "$1.20"],
  ["0199a1b3", "family 👨‍👩‍👧‍👦 and 🇩🇪🇩🇪 and ❤️ more", "~/b", "$1,000.00"],
];

describe("a table", () => {
  test.each([200, 80, 60, 45, 36, 24, 16])("fits into %i columns", (width) => {
    const lines = formatTable(COLUMNS, ROWS, { width });
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
  });

  test("is as wide as its cells where nothing limits it", () => {
    const text = formatTable(COLUMNS, ROWS, { width: undefined }).join("\n");
    for (const cell of ROWS.flat()) expect(text).toContain(cell);
  });

  test("sets wide characters under each other", () => {
    const [, first = "", second = ""] = formatTable(COLUMNS, ROWS, { width: 200 });
    expect(widthOf(first.slice(0, first.indexOf("~/work")))).toBe(
      widthOf(second.slice(0, second.indexOf("~/b"))),
    );
  });

  test("cuts a path at its beginning", () => {
    expect(formatTable(COLUMNS, ROWS, { width: 60 }).join("\n")).toContain("…");
    expect(formatTable(COLUMNS, ROWS, { width: 60 })[1]).toMatch(/project +\$1\.20$/);
  });

  test("leaves out what is expendable, the most expendable first, and never the rest", () => {
    expect(formatTable(COLUMNS, ROWS, { width: 36 })[0]).toMatch(/^Id +Title +Cost$/);
    expect(formatTable(COLUMNS, ROWS, { width: 24 })[0]).toMatch(/^Id +Title$/);
  });

  test("lets no control character of a title or cell through", () => {
    const lines = formatTable(
      [{ title: "A\n  \u001b[31mB" }, { title: "C" }],
      [["x\u001b[31m\ny\u202e", "z"]],
      {
        width: undefined,
      },
    );
    expect(lines).toEqual(["A B  C", "x y  z"]);
  });

  test("paints cells without counting the paint", () => {
    const paint = (cell: string): string => `<${cell}>`;
    expect(formatTable([{ title: "A", paint }, { title: "B" }], [["x", "y"]], { width: 80 })[1]).toBe(
      "<x>  y",
    );
  });

  test("sets totals off by a line", () => {
    const columns: Column[] = [{ title: "Day" }, { title: "Cost", align: "right" }];
    expect(formatTable(columns, [["1", "2"]], { width: 80, totals: ["Total", "12"] })).toEqual([
      "Day    Cost",
      "1         2",
      "─────  ────",
      "Total    12",
    ]);
  });

  test("draws no line below bars, which nobody adds up", () => {
    const columns: Column[] = [{ title: "Day" }, { title: "" }, { title: "Cost" }];
    expect(formatTable(columns, [["1", "██", "2"]], { width: 80, totals: ["Total", "", "2"] })[2]).toBe(
      "─────      ────",
    );
  });

  test("copes with huge cells", () => {
    const lines = formatTable([{ title: "A", shrinkTo: 5 }], [["汉".repeat(1_000_000)]], { width: 40 });
    expect(widthOf(lines[1] ?? "")).toBeLessThanOrEqual(40);
  });
});

describe("cutting", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 40 });

  test("never leaves more columns than asked for", () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom("start", "end"),
        (input, width, side) => {
          return widthOf(cut(input, width, side)) <= width;
        },
      ),
    );
  });

  test("leaves alone what fits", () => {
    fc.assert(fc.property(text, (input) => cut(input, widthOf(input)) === input));
  });

  test("never cuts a character in half", () => {
    expect(cut("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 5)).toBe("👨‍👩‍👧‍👦👨‍👩‍👧‍👦…");
    expect(cut("🇩🇪🇫🇷🇮🇹", 4, "start")).toBe("…🇮🇹");
  });
});

test("the width of what is common is the same as by the library", () => {
  const common = fc.constantFrom(
    "a",
    "é",
    "…",
    "█",
    "汉",
    "か",
    "が",
    "。",
    "한",
    "！",
    "　",
    "ﾞ",
    "\u0301",
    "\ufe0f",
    "©",
    "😀",
    "🇩",
    "\u200d",
  );
  const text = fc.array(common, { maxLength: 12 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (input) => widthOf(input) === stringWidth(input)),
    { numRuns: runs(1000) },
  );
  fc.assert(fc.property(fc.string({ unit: "binary" }), (input) => widthOf(input) === stringWidth(input)));
});

test("a long text has the characters and the width it has as a whole", () => {
  const unit = fc.constantFrom(
    "a",
    " ",
    "→",
    "я",
    "汉",
    "e\u0301",
    "\u0301",
    "\u{1d165}",
    "😀",
    "👩‍👩‍👧",
    "👍🏽",
    "🇩🇪",
    "🇩",
    "\u200d",
    "\ud83d",
    "\u0600",
    "क्ष",
    "ดำ",
    "ᄀ",
    "ᅡ",
    "각",
    "ｶﾞ",
  );
  const run = fc.tuple(unit, fc.integer({ min: 1, max: 1200 })).map(([text, times]) => text.repeat(times));
  const long = fc.tuple(fc.array(unit, { maxLength: 20 }), fc.array(fc.oneof(unit, run), { maxLength: 40 }));
  fc.assert(
    fc.property(long, (parts) => {
      const text = parts.flat().join("");
      const whole = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
      expect(clustersOf(text).map((cluster) => cluster.text)).toEqual(whole);
      expect(widthOf(text)).toBe(whole.reduce((sum, cluster) => sum + widthOf(cluster), 0));
    }),
  );
});

test.each([
  ["น้ำ", 2],
  ["กาแฟดำเย็น", 9],
  ["ຄຳ", 2],
  ["क्षत्रिय", 6],
  ["हिन्दी में लिखो", 12],
  ["বিশ্ববিদ্যালয়", 11],
  ["ക്ഷ", 2],
  ["ភាសាខ្មែរ", 8],
  ["မြန်မာဘာသာ", 9],
])("%s takes the columns it has on a terminal, also in pieces", (text, columns) => {
  const pieces = clustersOf(text).reduce((sum, { width }) => sum + width, 0);
  expect([widthOf(text), pieces, widthOf(cut(text.repeat(9), 12)) <= 12]).toEqual([columns, columns, true]);
});

test("no long text is divided into characters as a whole, for which V8 takes the square of its length", () => {
  const divided = vi.spyOn(Intl.Segmenter.prototype, "segment");
  const text = `${"x".repeat(50_000)}→${"я".repeat(50_000)}😀`;
  expect([widthOf(text), clustersOf(text).length]).toEqual([100_003, 100_002]);
  expect(divided.mock.calls.filter(([piece]) => piece.length > 1000)).toEqual([]);
});

test("every single character is as wide as by the library", () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code);
    if (widthOf(character) !== stringWidth(character)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test("padding counts columns, not characters", () => {
  expect(pad("汉", 4)).toBe("汉  ");
  expect(pad("汉", 4, "right")).toBe("  汉");
});
