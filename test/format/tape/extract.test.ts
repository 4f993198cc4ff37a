import { describe, expect, test } from "vitest";
import { LONGEST_TEXT } from "../../../src/format/content.ts";
import { type ParsedLine, parseLine } from "../../../src/format/parse.ts";
import { recordOf } from "../../../src/format/record.ts";
import { extractLine } from "../../../src/format/tape/extract.ts";
import { upgradeEntry } from "../../../src/format/upgrade.ts";
import { faultFixtures } from "../../fixtures/faults.ts";
import { anyEntry, anyHeader } from "../../helpers/any-entry.ts";
import { fc } from "../../helpers/drawn.ts";
import { edited, edits } from "../../helpers/edited-bytes.ts";
import { runs } from "../../helpers/fuzz.ts";
import { longText } from "../../helpers/long-text.ts";
import { session } from "../../helpers/session-builder.ts";
import { jsonStyle, written } from "../../helpers/written-json.ts";
import { drawnEntry, say } from "../../relations/drawn-entries.ts";

const RUNS = runs(1000);
const PATIENCE = { timeout: 120_000 + RUNS * 50 };

/** All that the index is told of a line, in a file of each version. */
function toldOf(parsed: ParsedLine): unknown {
  if (parsed.kind !== "entry") return parsed;
  const position = { name: "v1-5", previousId: "before" };
  return [1, 2, 3].map((version) => recordOf(upgradeEntry(parsed.entry, version, position)));
}

function expectSameDigest(line: Buffer | string): void {
  const bytes = Buffer.from(line as string);
  expect(toldOf(extractLine(bytes))).toStrictEqual(toldOf(parseLine(bytes)));
}

const text = fc.oneof({ weight: 2, arbitrary: fc.string({ maxLength: 20 }) }, longText);
const anyLine = fc
  .tuple(fc.oneof({ weight: 8, arbitrary: anyEntry(text) }, anyHeader), jsonStyle)
  .map(([object, style]) => written(object, style));

describe("a line that is extracted has the record of the whole line", () => {
  test("whatever it says, and however it is written", PATIENCE, () => {
    fc.assert(fc.property(anyLine, expectSameDigest), { numRuns: RUNS });
  });

  test("with its fields in any order", PATIENCE, () => {
    const shuffled = anyEntry(text).chain((entry) =>
      fc.shuffledSubarray(Object.entries(entry), { minLength: Object.keys(entry).length }),
    );
    fc.assert(
      fc.property(shuffled, (fields) => expectSameDigest(JSON.stringify(Object.fromEntries(fields)))),
      { numRuns: RUNS },
    );
  });

  test("with texts longer than the index keeps", () => {
    for (const piece of ["a", "天", "🍐\n", "\u0001"]) {
      const content = [{ type: "text", text: piece.repeat(LONGEST_TEXT / piece.length + 3) }];
      for (const role of ["user", "assistant", "toolResult"]) {
        expectSameDigest(
          JSON.stringify({ type: "message", id: "a", parentId: null, message: { role, content } }),
        );
      }
    }
  });

  test("as pi writes it", PATIENCE, () => {
    fc.assert(
      fc.property(
        fc.array(drawnEntry, { maxLength: 8 }),
        fc.constantFrom(1 as const, 2 as const, 3 as const),
        (entries, version) => {
          const built = session({ version });
          for (const entry of entries) say(built, entry);
          for (const line of built.lines()) expectSameDigest(line);
        },
      ),
      { numRuns: runs(250) },
    );
  });

  test("where it was damaged", PATIENCE, () => {
    const damaged = fc
      .tuple(anyLine, fc.oneof(edits(), edits(1, 1), edits(2, 3)))
      .map(([line, changes]) => changes.reduce(edited, Buffer.from(line)));
    fc.assert(fc.property(damaged, expectSameDigest), { numRuns: RUNS });
  });

  test.each(
    faultFixtures
      .filter(({ bytes }) => bytes.length < 100_000)
      .map(({ name, bytes }) => [name, bytes] as const),
  )("in a file where %s", (_name, bytes) => {
    for (let start = 0; start < bytes.length; ) {
      const newline = bytes.indexOf(0x0a, start);
      const end = newline < 0 ? bytes.length : newline;
      expectSameDigest(bytes.subarray(start, end));
      start = end + 1;
    }
  });
});

test("a text is not taken for another one whose bytes are what it is written with", () => {
  const named = (id: string) => JSON.stringify({ type: "custom", id, parentId: null, customType: id });
  const escaped = named("\t\t8nabcd");
  expectSameDigest(named("\\t\\t8nabcd"));
  expectSameDigest(escaped);
  expectSameDigest(named("\u00e9"));
  expectSameDigest(Buffer.from(named("\u00e9"), "latin1"));
});

const said = (content: unknown, role = "assistant") =>
  JSON.stringify({
    type: "message",
    id: "b",
    parentId: "a",
    timestamp: "2025-01-11T15:13:06.631Z",
    message: { role, content },
  });
const call = (args: string) =>
  `{"type":"message","id":"b","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"t","arguments":${args}}]}}`;

test.each<[string, string]>([
  ["a header", '{"type":"session","id":"s"}'],
  ["a header whose id comes twice", '{"type":"session","id":5,"id":"s"}'],
  ["a session without an id", '{"type":"session","id":5}'],
  ["a type that comes twice", '{"type":"message","id":"a","type":"session"}'],
  [
    "a message that is no object",
    '{"type":"message","id":"a","message":"text","content":[{"type":"image"}]}',
  ],
  ["a message that is a list", '{"type":"message","id":"a","message":[],"provider":"p"}'],
  ["a message twice", '{"type":"message","message":{"role":"user","content":"a"},"message":{"role":"user"}}'],
  [
    "fields called __proto__",
    '{"__proto__":{"type":"label"},"type":"message","message":{"__proto__":{"role":"user"},"content":"x"}}',
  ],
  ["names with escapes", '{"\\u0074ype":"message","message":{"r\\u006fle":"user","content":"x"}}'],
  ["content that is null", said(null, "user")],
  ["content that is not there", '{"type":"message","id":"b","timestamp":5,"message":{"role":"user"}}'],
  [
    "blocks of all kinds",
    said([1, null, "x", [], {}, { type: 5 }, { type: "text" }, { type: "text", text: 5 }]),
  ],
  ["a text block that is irregular", said([{ type: "text", text: "a\0\ud800" }])],
  ["a text block that is long", said([{ type: "text", text: "word\n".repeat(5000) }])],
  [
    "output that is long",
    said(
      [
        { type: "text", text: "word\n".repeat(5000) },
        { type: "text", text: "x" },
      ],
      "toolResult",
    ),
  ],
  [
    "a command",
    '{"type":"message","message":{"role":"bashExecution","command":"ls  -l","output":"x","exitCode":1}}',
  ],
  ["arguments with names that are numbers", call('{"b":"B","10":"ten","path":5,"2":"two"}')],
  [
    "arguments with names that come twice",
    call('{"b":"B","path":"p","b":{"c":["C",1.50,-0,1e3,true,null]},"path":"q"}'),
  ],
  [
    "paths that are objects and lists",
    call('{"filePath":{"":0},"path":[{"a":["b"]}],"file_path":{"path":"p"}}'),
  ],
  ["arguments with __proto__", call('{"a":"A","__proto__":{"path":"evil"},"z":"Z"}')],
  ["arguments that are a text", call('"{\\"path\\":1}"')],
  ["arguments that are a list", call('[["a"],{"b":"c"},5]')],
  [
    "arguments that are long",
    call(JSON.stringify({ content: "x y\n".repeat(9000), path: `/${"long/".repeat(99)}` })),
  ],
  [
    "numbers of all kinds",
    '{"type":"usage","usage":{"input":1e400,"output":-0,"cacheRead":12345678901234567890,"cost":{"total":1.0000000000000002}}}',
  ],
  ["usage that is a list", '{"type":"message","message":{"role":"assistant","content":[],"usage":[1]}}'],
  ["a cost that is a number", '{"type":"usage","kind":"","usage":{"input":1,"cost":5,"totalTokens":{}}}'],
  ["a time that is odd", '{"type":"custom","id":"a","timestamp":"2025-02-30T15:13:06.631Z"}'],
  ["a time that is a number", '{"type":"custom","id":"a","timestamp":1736608386631.5}'],
  [
    "a message whose time is written as that of an entry",
    `{"type":"message","timestamp":"x","message":{"role":"user","content":"","timestamp":"2025-01-11T15:13:06.631Z"}}`,
  ],
  [
    "usage with a reason to stop",
    `{"type":"compaction","usage":{"input":1},"stopReason":"stop","summary":"s"}`,
  ],
  ["an id with a NUL", '{"type":"custom","id":"a\\u0000","parentId":"\\ud83c"}'],
  ["nothing", "{}"],
])("%s: as much is told of it as of the whole line", (_what, line) => {
  expectSameDigest(line);
});

test("of a message nothing is read that no record needs", () => {
  const message = {
    role: "toolResult",
    toolCallId: "c",
    content: [{ type: "text", text: "x".repeat(1000) }],
    details: { diff: "d" },
  };
  const extracted = extractLine(
    Buffer.from(JSON.stringify({ type: "message", id: "b", message, extra: "e" })),
  );
  const read = JSON.stringify(extracted);
  expect([read.includes("details"), read.includes("extra"), read.length < 400]).toEqual([false, false, true]);
});
