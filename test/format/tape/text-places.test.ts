import { describe, expect, test } from "vitest";
import { parseLine } from "../../../src/format/parse.ts";
import { searchableTexts } from "../../../src/format/searchable.ts";
import { textPlaces } from "../../../src/format/tape/line-texts.ts";
import { Tape } from "../../../src/format/tape/tape.ts";
import { valueAt } from "../../../src/format/tape/tape-values.ts";
import { anyEntry } from "../../helpers/any-entry.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { longText } from "../../helpers/long-text.ts";
import { session } from "../../helpers/session-builder.ts";
import { jsonStyle, written } from "../../helpers/written-json.ts";
import { drawnEntry, say } from "../../relations/drawn-entries.ts";

const RUNS = runs(1000);
const PATIENCE = { timeout: 120_000 + RUNS * 50 };
const tape = new Tape();

/** The texts at the places in a line; null where they cannot be told by their places. */
function textsAt(line: string): string[] | null {
  if (!tape.scan(Buffer.from(line))) return null;
  return textPlaces(tape)?.map((place) => String(valueAt(tape, place)).toWellFormed()) ?? null;
}

function textsOf(line: string): string[] {
  const parsed = parseLine(Buffer.from(line));
  return parsed.kind === "entry" ? searchableTexts(parsed.entry) : [];
}

/** Returns whether the places are known. */
function expectSameTexts(line: string): boolean {
  const found = textsAt(line);
  if (found !== null) expect(found).toEqual(textsOf(line));
  return found !== null;
}

describe("the places of what is searched are those of the texts that are searched", () => {
  test("whatever an entry says, and however it is written", PATIENCE, () => {
    const text = fc.oneof({ weight: 2, arbitrary: fc.string({ maxLength: 20 }) }, longText);
    let known = 0;
    fc.assert(
      fc.property(anyEntry(text), jsonStyle, (entry, style) => {
        if (expectSameTexts(written(entry, style))) known++;
      }),
      { numRuns: RUNS },
    );
    expect(known).toBeGreaterThan(RUNS / 4);
  });

  test("as pi writes it, and hardly any is unknown", PATIENCE, () => {
    let known = 0;
    let all = 0;
    fc.assert(
      fc.property(fc.array(drawnEntry, { maxLength: 8 }), (entries) => {
        const built = session();
        for (const entry of entries) say(built, entry);
        for (const line of built.lines()) {
          all++;
          if (expectSameTexts(line)) known++;
        }
      }),
      { numRuns: runs(250) },
    );
    expect(known / all).toBeGreaterThan(0.9);
  });
});

const message = (fields: object) => JSON.stringify({ type: "message", id: "b", message: fields });
const call = (args: string) =>
  `{"type":"message","id":"b","message":{"role":"assistant","content":[{"type":"toolCall","name":"t","arguments":${args}}]}}`;
const output = (...texts: string[]) =>
  message({ role: "toolResult", toolName: "t", content: texts.map((text) => ({ type: "text", text })) });

test.each<[string, string, string[]]>([
  [
    "blocks of all kinds",
    message({ role: "user", content: [1, null, [], { text: "a" }, { text: "" }] }),
    ["a"],
  ],
  [
    "an answer",
    message({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", text: "no" },
        { type: "text", text: "yes" },
        { type: "image", text: "no" },
      ],
      errorMessage: "oops",
    }),
    ["hm", "yes", "oops"],
  ],
  ["arguments in any depth", call('{"a":[1,{"b":"c"},true,null],"d":"","e":"é"}'), ["t", "1", "c", "é"]],
  [
    "numbers as JavaScript writes them",
    call("[1.50,-0,1e3,12345678901234567890]"),
    ["t", "1.5", "0", "1000", "12345678901234567000"],
  ],
  ["arguments that are a text", call('"x"'), ["t", "x"]],
  ["output", output("x\ny"), ["t", "x\ny"]],
  [
    "output with an image",
    message({ role: "toolResult", content: [{ type: "image" }, { type: "text", text: "x" }] }),
    ["x"],
  ],
  ["a role of another program", message({ role: "mine", content: "x" }), ["x"]],
  ["a system prompt", message({ role: "system", content: "x" }), []],
  ["a message that is no object", '{"type":"message","message":"x"}', []],
  ["a replacement", '{"type":"context_edit","replacement":{"content":[{"text":"x"}]}}', ["x"]],
  ["a type that is none", '{"type":5,"summary":"x"}', []],
])("%s", (_what, line, expected) => {
  expect([textsAt(line), textsOf(line)]).toEqual([expected, expected]);
});

test.each<[string, string]>([
  ["output in two parts, which are one text", output("a", "b")],
  ["output that is cut", output("x".repeat(70_000))],
  [
    "output of a command that is cut",
    message({ role: "bashExecution", command: "ls", output: "x".repeat(70_000) }),
  ],
  ["arguments that are cut", call(JSON.stringify(["x".repeat(200_000), "y".repeat(100_000)]))],
  ["arguments of numbers that may be cut", call(JSON.stringify(Array.from({ length: 20_000 }, () => 1)))],
  ["a text that is cut", message({ role: "user", content: "x".repeat(3_000_000) })],
  ["arguments whose names are numbers, which come first", call('{"b":"B","10":"ten","2":"two"}')],
  ["arguments whose names come twice", call('{"b":"B","a":"A","b":"C"}')],
  ["arguments whose names have escapes", call('{"\\u0061":"B","a":"A"}')],
  [
    "more arguments than are compared",
    call(JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, "x"])))),
  ],
])("%s: the line has to be parsed", (_what, line) => {
  expect(textsAt(line)).toBeNull();
});
