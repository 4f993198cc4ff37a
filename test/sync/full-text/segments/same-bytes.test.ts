import { describe, expect, test } from "vitest";
import { fc } from "../../../helpers/drawn.ts";
import {
  buildTexts,
  emptyFullText,
  imageOf,
  insertTexts,
  type Texts,
} from "../../../helpers/full-text-image.ts";
import { runs } from "../../../helpers/fuzz.ts";

/** What FTS5 keeps of texts that were inserted in one transaction, and what it keeps of them built as one segment. */
function bothImages(texts: Texts, pageBytes?: number, cuts?: readonly number[]): [unknown, unknown] {
  const [inserted, built] = [emptyFullText(pageBytes), emptyFullText(pageBytes)];
  try {
    insertTexts(inserted, texts);
    buildTexts(built, texts, cuts);
    return [imageOf(inserted), imageOf(built)];
  } finally {
    for (const each of [inserted, built]) each.close();
  }
}

function expectSame(texts: Texts, pageBytes?: number, cuts?: readonly number[]): void {
  const [inserted, built] = bothImages(texts, pageBytes, cuts);
  expect(built).toEqual(inserted);
}

/** Keys from 1 on. */
function numbered(texts: readonly string[]): Texts {
  return texts.map((text, at) => [at + 1, text]);
}

/** Few words, so that most stand in several texts, with all kinds of characters at their beginning, middle and end. */
const WORD = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "ab", "abc", "the", "THE", "Word", "fooBar", "x1", "0") },
  {
    weight: 2,
    arbitrary: fc.string({
      unit: fc.constantFrom(..."aBz09éÉßøıſΣжЖ中\u0301\u0338\u{f0940}\ue000"),
      maxLength: 8,
    }),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  { weight: 1, arbitrary: fc.nat(2000).map((number) => `n${number}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("prefix", "prefixed", "é"), fc.nat(40))
      .map(([word, times]) => word.repeat(times)),
  },
);
const BETWEEN = fc.constantFrom(" ", "  ", ", ", "_", "\n", "—", "\0", "\u0301 ", "→", "─┐");
const TEXT = fc
  .array(fc.tuple(WORD, BETWEEN, fc.integer({ min: 1, max: 3 })), { maxLength: 25 })
  .map((parts) => parts.map(([word, between, times]) => (word + between).repeat(times)).join(""));

/** Ascending keys, with gaps of all sizes. */
const KEYED = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 3_000_000 })),
      TEXT,
    ),
    {
      minLength: 1,
      maxLength: 40,
    },
  )
  .map((parts) => {
    let key = 0;
    return parts.map(([gap, text]): [number, string] => {
      key += gap;
      return [key, text];
    });
  });

describe("a segment that is built is byte for byte what FTS5 writes", () => {
  test("of any texts, with pages of any size, of any runs", () => {
    fc.assert(
      fc.property(
        KEYED,
        fc.constantFrom(32, 33, 50, 64, 100, 200, 512, 4050),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 5 }),
        (texts, pageBytes, cuts) => expectSame(texts, pageBytes, cuts),
      ),
      { numRuns: runs(250) },
    );
  });

  test("of doclists that span pages, with an index of several heights", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 300, maxLength: 900 }),
        fc.constantFrom(32, 40, 64, 150),
        fc.integer({ min: 1, max: 900 }),
        (times, pageBytes, cut) => {
          const texts = numbered(
            times.map((count, at) => `${"often ".repeat(count)}${at % 50 === 0 ? "z" : ""}`),
          );
          expectSame(texts, pageBytes, [cut]);
        },
      ),
      { numRuns: runs(25) },
    );
  });

  test("of a list of which an index of three heights is kept", () => {
    const inserted = emptyFullText(32);
    const texts = numbered(Array.from({ length: 6000 }, () => "often"));
    insertTexts(inserted, texts);
    const heights =
      "SELECT DISTINCT (id >> 31) & 31 FROM entry_text_data WHERE (id >> 36) & 1 = 1 ORDER BY 1";
    expect(inserted.prepare(heights).pluck().all()).toEqual([0, 1, 2]);
    expectSame(texts, 32, [1000, 1001, 5000]);
  });

  test("of positions that fill pages by themselves, up to beyond 16,383", () => {
    const lone = `start ${"often ".repeat(3000)}${"rare other ".repeat(10)}${"often ".repeat(14_000)} end`;
    for (const pageBytes of [64, 500, 4050]) {
      expectSame(
        [
          [1, "often"],
          [2, lone],
          [3, "often"],
          [700_000, lone],
          [700_001, "start often"],
        ],
        pageBytes,
        [2],
      );
    }
  });

  test.each([32, 4050])(
    "of words of 32 KB and more, which are cut off, on pages of %d bytes",
    (pageBytes) => {
      const lengths = [32_766, 32_767, 32_768, 32_769, 40_000, 12, 13, 100_000];
      const words = lengths.flatMap((length) => [
        "x".repeat(length),
        "é".repeat(length / 2),
        `${"w".repeat(length - 1)}ж`,
        `${"w".repeat(length - 1)}—w`,
        "k".repeat(length).replace(/.$/, "!"),
      ]);
      expectSame(numbered(words), pageBytes, [7, 20]);
      expectSame(
        [
          [1, words.join(" ")],
          [2, words.toReversed().join("\n")],
        ],
        pageBytes,
      );
    },
  );

  test("of texts without a word, and of none with any", () => {
    expectSame(numbered(["", "…", "a", "\u0301", ""]));
    expectSame(numbered(["", "  — "]));
  });

  test("of more words than are taken at once, in texts of many sizes", () => {
    const dense = Array.from({ length: 30_000 }, (_, at) => (at % 977).toString(36)).join(" ");
    const foreign = Array.from({ length: 9000 }, (_, at) => `é${at % 71}—ж`).join("");
    expectSame(
      numbered([
        dense,
        foreign,
        dense.slice(0, 4097),
        foreign.slice(1),
        "x".repeat(2047),
        `${"—".repeat(5000)}z`,
      ]),
    );
  });

  test("of keys beyond 32 bits", () => {
    const keys = [1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40, 2 ** 40 + 1, 2 ** 52];
    const texts = keys.map((key): [number, string] => [key, `word ${key}`]);
    expectSame(texts, 64, [1, 2, 3, 4, 5, 6]);
  });
});
