import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SessionDbError } from "../../src/errors.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { searchEntries } from "../../src/search/search.ts";
import type { Index } from "../../src/store/open.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { holdsPart, holdsUnits, partsIn, unitsOf } from "../helpers/independent-units.ts";
import { withIndex } from "../helpers/open-index.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOfSessions } from "../reports/indexed.ts";

const RUNS = runs(40);

const POOLS: Record<string, string[]> = {
  english: ["pear", "Trees", "the", "a", "pruning", "Ladder", "of", "garden's", "pears", "I", "well-known"],
  code: [
    "sessionManager",
    "SessionManager",
    "session_manager",
    "SESSION-MANAGER",
    "parseHTTPResponse",
    "foo_bar.baz",
    "src/core/x.ts",
    "utf8Decoder",
    "x86_64",
    "getID",
    "IOError",
    "a1B2",
    "v2",
    "i",
    "$scope",
    "std::vector",
  ],
  chinese: ["天气", "今天天气很好", "很", "代码", "天", "会话管理器", "𠮷野家", "〇", "「天气」"],
  japanese: ["コーヒー", "カレー", "カ", "ヒーを飲", "日本語", "ｶﾚｰ", "がぎ", "が", "々", "ゝ", "飲みます"],
  korean: ["대한민국", "민국", "한", "대한민국".normalize("NFD"), "안녕하세요", "국만세"],
  emoji: ["🍐", "🍎", "👍🏽", "👍", "🇨🇭", "👨‍👩‍👧", "🍐🍎"],
  accents: [
    "caféManager",
    "getÉtat",
    "café",
    "cafe\u0301",
    "naïve",
    "Größe",
    "ÅNGSTRÖM",
    "éléphant",
    "resume",
    "Ünïcödé",
    "việt",
  ],
  india: ["की", "का", "हिन्दी", "हिंदी", "कमल", "क", "বাংলা", "தமிழ்", "తెలుగు", "ދިވެހި"],
  thai: ["ที่", "ภาษาไทย", "ไทย", "เก่า", "เก้า", "ນ້ຳ", "ខ្មែរ", "မြန်မာ"],
  unseen: ["Wörter\u00adbuch", "Wörterbuch", "word\u2060joiner", "क्\u200dष", "\ufeffbegin", "vari\ufe0fant"],
  others: ["сессияМенеджер", "привет", "МИР", "κόσμε", "مرحبا", "שלום", "42", "3.14"],
};
const piece = fc.oneof(...Object.values(POOLS).map((pool) => fc.constantFrom(...pool)));
const joint = fc.oneof(
  { weight: 4, arbitrary: fc.constant(" ") },
  { weight: 3, arbitrary: fc.constant("") },
  fc.constantFrom("_", ".", "/", "-", "，", "。", "\n", "(", ") ", "::", "=", "\t", "'", "·", "→", "\0"),
);
const text = fc
  .array(fc.tuple(piece, joint), { minLength: 1, maxLength: 9 })
  .map((parts) => parts.flat().join(""));

/** Says a text in one of the places that are searchable. */
const PLACES: ((built: SessionBuilder, said: string) => unknown)[] = [
  (built, said) => built.user(said),
  (built, said) => built.assistant({ text: said }),
  (built, said) => built.assistant({ text: "-", thinking: said }),
  (built, said) =>
    built.assistant({ text: "-", toolCalls: [{ name: "-", arguments: { deep: [{ x: said }] } }] }),
  (built, said) => built.toolResult(said, { toolName: "-" }),
  (built, said) => built.bash("-", said),
  (built, said) => built.bash(said),
  (built, said) => built.customMessage("note", said),
  (built, said) => built.compaction(said),
  (built, said) => built.branchSummary(said),
  (built, said) => built.label(built.lastId ?? "", said),
  (built, said) => built.name(said),
  (built, said) => built.entry("usage", { kind: "-", note: said }),
];
const said = fc.array(fc.tuple(text, fc.constantFrom(...PLACES)), { minLength: 4, maxLength: 12 });

/** Hands out an index of the texts, and closes it. */
function withSaid(
  all: [string, (typeof PLACES)[number]][],
  use: (index: Index, texts: string[]) => void,
): void {
  const built = session().user("-");
  for (const [what, say] of all) say(built, what);
  const root = tempDir();
  built.write(`${root}/sessions/a.jsonl`);
  withIndex(root, (index) => {
    syncAll(index, [`${root}/sessions`]);
    feedSearch(index);
    use(
      index,
      all.map(([what]) => what),
    );
  });
  rmSync(root, { recursive: true });
}

/** Which of the texts are found, by number: they stand from line 3 on. */
function found(index: Index, query: string, substring = false): number[] {
  const { hits } = searchEntries(index, query, { limit: 0, substring });
  return hits.map(({ line }) => line - 3).sort((a, b) => a - b);
}

function numbersOf(texts: string[], isHeld: (text: string) => boolean): number[] {
  return texts.flatMap((each, n) => (isHeld(each) ? [n] : []));
}

/** A stretch of a text from one unit to another, as it is written there. */
const stretch = fc.record({ of: fc.nat(), from: fc.nat(), length: fc.nat({ max: 3 }) });

function cutStretch(
  texts: string[],
  { of, from, length }: { of: number; from: number; length: number },
): string {
  const whole = texts[of % texts.length] ?? "";
  const units = unitsOf(whole);
  const first = units[from % Math.max(1, units.length)];
  const last = units[Math.min(units.length - 1, (from % Math.max(1, units.length)) + length)];
  return first && last ? whole.slice(first.start, last.end) : "";
}

/** A word is one word with them. */
const UNSEEN = /\u00ad|\u200d|\u2060|\ufeff|[\ufe00-\ufe0f]/g;

describe("drawn from the texts themselves,", () => {
  test("every stretch is found wherever an independent scan finds it, and nowhere else", () => {
    fc.assert(
      fc.property(said, fc.array(stretch, { minLength: 12, maxLength: 12 }), (all, stretches) => {
        withSaid(all, (index, texts) => {
          for (const needle of stretches
            .map((each) => cutStretch(texts, each))
            .filter((each) => each !== "")) {
            const [only, ...more] = unitsOf(needle);
            const isWord = more.length === 0 && /^[\p{L}\p{N}\p{M}]+$/u.test(needle.replace(UNSEEN, ""));
            const expected = numbersOf(
              texts,
              (each) => holdsUnits(each, needle) || (isWord && holdsPart(each, only?.word ?? "")),
            );
            expect([needle, found(index, `"${needle.replaceAll("\0", " ")}"`)]).toEqual([needle, expected]);
          }
        });
      }),
      { numRuns: RUNS },
    );
  });

  test("every part of a name, and every beginning of a word or part, is found likewise", () => {
    fc.assert(
      fc.property(
        said,
        fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
        fc.nat({ max: 3 }),
        (all, picks, cut) => {
          withSaid(all, (index, texts) => {
            const parts = texts.flatMap(partsIn).filter((part) => part !== "");
            for (const part of picks.flatMap((pick) => parts[pick % Math.max(1, parts.length)] ?? [])) {
              const whole = numbersOf(texts, (each) => holdsUnits(each, part) || holdsPart(each, part));
              const letters = [...part];
              const beginning = letters.slice(0, Math.max(1, letters.length - cut)).join("");
              const begun = numbersOf(
                texts,
                (each) => holdsUnits(each, beginning, true) || holdsPart(each, beginning, true),
              );
              expect([part, found(index, part)]).toEqual([part, whole]);
              expect([`${beginning}*`, found(index, `${beginning}*`)]).toEqual([`${beginning}*`, begun]);
            }
          });
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("several words are found where all of them are, and alternatives where one is", () => {
    fc.assert(
      fc.property(said, stretch, stretch, stretch, (all, ...three) => {
        const pieces = three.map((each) =>
          cutStretch(
            all.map(([what]) => what),
            { ...each, length: 1 },
          ),
        );
        const needles = pieces.map((each) => each.replaceAll("\0", " "));
        fc.pre(needles.every((needle) => unitsOf(needle).length > 1));
        withSaid(all, (index, texts) => {
          const [a = "", b = ""] = needles;
          const quoted = needles.map((needle) => `"${needle}"`);
          const holds = (each: string) => needles.map((needle) => holdsUnits(each, needle));
          expect(found(index, `${quoted[0]} ${quoted[1]}`)).toEqual(
            numbersOf(texts, (each) => holdsUnits(each, a) && holdsUnits(each, b)),
          );
          expect(found(index, `${quoted[0]} -${quoted[1]} OR ${quoted[2]}`)).toEqual(
            numbersOf(texts, (each) => {
              const [first, second, third] = holds(each);
              return (first && !second) || third === true;
            }),
          );
        });
      }),
      { numRuns: RUNS },
    );
  });

  test("any run of characters whatever is found by its substring, and nowhere else", () => {
    fc.assert(
      fc.property(
        said,
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 40 })), { minLength: 8 }),
        (all, cuts) => {
          withSaid(all, (index, texts) => {
            for (const [of, from, length] of cuts) {
              const whole = texts[of % texts.length] ?? "";
              const start = from % whole.length;
              const needle = whole.slice(start, start + 1 + length);
              const expected = numbersOf(texts, (each) => each.includes(needle));
              // Dashes are said beside some texts.
              if (needle === "-") continue;
              expect([needle, found(index, needle, true)]).toEqual([needle, expected]);
            }
          });
        },
      ),
      { numRuns: RUNS },
    );
  });
});

test("thousands of strings of any kind give a result or a clean message", () => {
  const index = indexOfSessions(
    session().user("pear Tree sessionManager 天气 café 🍐").assistant({ text: "AND OR" }),
  );
  const sign = fc.constantFrom(
    ...[
      '"',
      "'",
      "*",
      "-",
      "(",
      ")",
      "{",
      "}",
      "[",
      "]",
      "^",
      ":",
      "+",
      "AND",
      "OR",
      "NOT",
      "NEAR(",
      "\\",
      "%",
      "\0",
    ],
    ...[
      "\n",
      "\ud800",
      "\udc00",
      "🍐",
      "天",
      "é",
      "e\u0301",
      "pear",
      "text:",
      "role:",
      "since:7d",
      "limit:2",
      "a*b",
    ],
    ...[
      "{b}:x",
      " ",
      "session*",
      "\ue000",
      "\ue001",
      "\u{f0350}",
      "--",
      "NULL",
      "label:x",
      'type:"a b"',
      "\u202e",
    ],
  );
  const string = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.array(sign, { maxLength: 14 }).map((signs) => signs.join("")),
    fc.array(sign, { maxLength: 14 }).map((signs) => signs.join(" ")),
    fc
      .tuple(sign, fc.integer({ min: 1, max: 20_000 }))
      .map(([each, times]) => each.repeat(times).slice(0, 20_000)),
  );
  fc.assert(
    fc.property(string, fc.boolean(), (query, substring) => {
      try {
        const { total, hits } = searchEntries(index, query, { substring });
        expect(hits.length).toBeLessThanOrEqual(total);
      } catch (error) {
        if (!(error instanceof SessionDbError) || error.code !== "usage") throw error;
        expect(error.message).not.toBe("");
      }
    }),
    { numRuns: 40 * RUNS },
  );
});
