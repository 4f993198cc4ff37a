import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/format/json.ts";
import { Tape, TapeScanner, ValueType } from "../../../src/format/tape/tape.ts";
import { numberAt } from "../../../src/format/tape/tape-values.ts";
import { fc } from "../../helpers/drawn.ts";
import { edited, edits } from "../../helpers/edited-bytes.ts";
import { runs } from "../../helpers/fuzz.ts";
import { longText } from "../../helpers/long-text.ts";
import { jsonStyle, written } from "../../helpers/written-json.ts";

const RUNS = runs(2000);
const PATIENCE = { timeout: 120_000 + RUNS * 50 };
const tape = new Tape();

/** What the tape says of a line, all of it; undefined where the line is not understood. */
function read(line: Buffer | string): JsonValue | undefined {
  return tape.scan(Buffer.from(line as string)) ? valueAt(0) : undefined;
}

function valueAt(place: number): JsonValue {
  switch (tape.typeAt(place)) {
    case ValueType.text:
    case ValueType.escaped:
    case ValueType.numbered:
      return tape.textAt(place);
    case ValueType.number:
      return numberAt(tape.line, tape.startAt(place), tape.endAt(place));
    case ValueType.list:
      return placesWithin(place).map(valueAt);
    case ValueType.object:
      return objectAt(place);
    default:
      return JSON.parse(tape.line.toString("latin1", tape.startAt(place), tape.endAt(place))) as JsonValue;
  }
}

function objectAt(place: number): JsonObject {
  const places = placesWithin(place);
  const object: JsonObject = {};
  for (let at = 0; at < places.length; at += 2) {
    const value = valueAt(places[at + 1] ?? 0);
    const field = { value, enumerable: true, writable: true, configurable: true };
    Object.defineProperty(object, tape.textAt(places[at] ?? 0), field);
  }
  return object;
}

function placesWithin(place: number): number[] {
  const places: number[] = [];
  for (let at = tape.within(place); at < tape.after(place); at = tape.after(at)) places.push(at);
  return places;
}

const text = fc.oneof(fc.string({ unit: "binary", maxLength: 12 }), longText);
const anyObject = fc.dictionary(
  fc.oneof(
    fc.constantFrom("type", "message", "__proto__", "5", ""),
    fc.string({ unit: "binary", maxLength: 8 }),
  ),
  fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.double(), text, fc.array(text, { maxLength: 3 })),
  { maxKeys: 8 },
);

describe("a line of JSON", () => {
  test("as pi writes it is understood, whatever it says", PATIENCE, () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        const line = JSON.stringify(object);
        expect(read(line)).toStrictEqual(JSON.parse(line));
      }),
      { numRuns: RUNS },
    );
  });

  test("in any style says what JSON.parse reads in it, where it is understood", PATIENCE, () => {
    fc.assert(
      fc.property(anyObject, jsonStyle, (object, style) => {
        const line = written(object, style);
        const found = read(line);
        if (found === undefined) expect(style.space).toBe("  ");
        else expect(found).toStrictEqual(JSON.parse(line));
      }),
      { numRuns: RUNS },
    );
  });

  test("that was damaged anywhere is not understood, or says what JSON.parse reads in it", PATIENCE, () => {
    let understood = 0;
    fc.assert(
      fc.property(anyObject, jsonStyle, fc.oneof(edits(), edits(1, 1)), (object, style, changes) => {
        const line = changes.reduce(edited, Buffer.from(written(object, style)));
        const found = read(line);
        if (found === undefined) return;
        understood++;
        expect(found).toStrictEqual(JSON.parse(line.toString("utf8")));
      }),
      { numRuns: RUNS },
    );
    expect(understood).toBeGreaterThan(RUNS / 100);
  });
});

test.each([
  "{}",
  '{"a":[]}',
  '{"a":{}}',
  '{"a":[{},[],{}]}',
  '{"a":true,"b":false,"c":null}',
  '{"a":-0}',
  '{"":""}',
  '{"a":"\\u0000\\ud83c\\"\\\\\\/\\b\\f\\n\\r\\t"}',
  '{"a\\n":1}',
  '{"a": 1, "b": [1, 2]}',
  '{"a":1,"a":2}',
])("is understood: %s", (line) => {
  expect(read(line)).toStrictEqual(JSON.parse(line));
});

test.each([
  "",
  " ",
  "5",
  "null",
  '"text"',
  "[]",
  "[{}]",
  "{",
  "}",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,"a":1}',
  "{1:2}",
  '{"a":1}{}',
  '{"a":1} ',
  ' {"a":1}',
  '{"a":1}]',
  '{"a":[1}',
  '{"a":[1,]}',
  '{"a":[,1]}',
  '{"a":{]}',
  '{"a":1',
  '{"a":01}',
  '{"a":1.}',
  '{"a":.5}',
  '{"a":+1}',
  '{"a":1e}',
  '{"a":--1}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":tru}',
  '{"a":truE}',
  '{"a":nul',
  '{"a":falsey}',
  "{'a':1}",
  '{"a" :1}',
  '{"a":  1}',
  '{"a":1 }',
  "{ }",
  '{"a":"\\x"}',
  '{"a":"\\u12g4"}',
  '{"a":"\\u123"}',
  '{"a":"\\',
  '{"a":"b',
  '{"a":"\t"}',
  '{"a":"\x1f"}',
  '{"a\n":1}',
  '{"a":1}\0',
  '\ufeff{"a":1}',
  '{"a":1}\u00a0',
  '{"a":"b"}\r',
  '{"a":1/**/}',
])("is not understood: %j", (line) => {
  expect(read(line)).toBeUndefined();
});

test("what is as deep as the tape goes is understood, what is deeper is not", () => {
  const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  expect([read(nested(200)) !== undefined, read(nested(201)), read(nested(100_000))]).toEqual([
    true,
    undefined,
    undefined,
  ]);
});

test("as many values as find room are understood, more are not", () => {
  const many = (count: number) => `{"a":[${"1,".repeat(count)}1]}`;
  expect([read(many(65_530)) !== undefined, read(many(65_540))]).toEqual([true, undefined]);
});

test("invalid UTF-8 in a text is what decoding the whole line makes of it", PATIENCE, () => {
  const around = fc.constantFrom("", "a", "é", "天", "🍐");
  fc.assert(
    fc.property(around, fc.uint8Array({ min: 0x80, maxLength: 6 }), around, (before, bytes, after) => {
      const line = Buffer.concat([Buffer.from(`{"a":"${before}`), bytes, Buffer.from(`${after}"}`)]);
      expect(read(line)).toStrictEqual(JSON.parse(line.toString("utf8")));
    }),
    { numRuns: RUNS },
  );
});

test("a number is understood where the grammar of JSON has one", PATIENCE, () => {
  const likeNumbers = fc.string({ unit: fc.constantFrom(..."-+.eE0123456789x,"), maxLength: 30 });
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
  fc.assert(
    fc.property(likeNumbers, (written) => {
      expect(read(`{"a":${written}}`) !== undefined).toBe(number.test(written));
    }),
    { numRuns: RUNS },
  );
});

test("what an earlier line has left behind the end of a shorter one belongs to none", () => {
  const lines = ['{"a":"b"}', '{"a":[1]}', '{"a":12}', '{"a":true}', '{"a":"\\u0041"}', '{"a":{"b":null}}'];
  for (const line of lines) {
    for (let length = 0; length < line.length; length++) {
      expect(read(line)).toStrictEqual(JSON.parse(line));
      expect(read(line.slice(0, length))).toBeUndefined();
    }
  }
});

test("a tape that was given back keeps no bytes", () => {
  tape.scan(Buffer.from('{"a":1}'));
  tape.release();
  expect([tape.line.length, tape.words.byteLength]).toEqual([0, 0]);
});

describe("a line that is longer than what is looked at in one go", () => {
  const WINDOW = new TapeScanner().window.length;
  const tail = `"b":[true,-1.5e+3,{"c\\u00e9":"\\n\\u0041\\"","d":{}},[],null],"e":false,"f":"天${"x".repeat(40)}"}`;

  test.each([
    ["where it has to be moved", WINDOW - 1024],
    ["where it ends", WINDOW],
    ["where it ends again", 2 * WINDOW - 1024],
  ])("is understood wherever its parts stand: %s", (_where, place) => {
    for (let before = place - Buffer.byteLength(tail) - 20; before < place + 20; before++) {
      const line = `{"a":"${"y".repeat(before)}",${tail}`;
      expect(read(line)).toStrictEqual(JSON.parse(line));
    }
  });

  test("is not understood if it ends too early or goes on, wherever that is", () => {
    const line = `{"a":"${"y".repeat(WINDOW - 1060)}",${tail}`;
    for (let cut = 1; cut < 120; cut++) expect(read(line.slice(0, -cut))).toBeUndefined();
    expect(read(`${line}}`)).toBeUndefined();
  });

  test("is understood if its texts are long, and full of escapes", () => {
    const text = String.raw`\n\u00e9 天 \"`.repeat(100_000);
    const line = `{"${text}":"${text}","b":"${"z".repeat(3 * WINDOW)}"}`;
    expect(read(line)).toStrictEqual(JSON.parse(line));
  });

  test("is understood, or else is JSON that is rare: a number or closing brackets without end", () => {
    for (const rare of [`${"1".repeat(5000)}`, `${"[".repeat(150)}${"]".repeat(150)}`]) {
      for (let before = WINDOW - 7000; before < WINDOW; before += 61) {
        const line = `{"a":"${"y".repeat(before)}","b":${rare}}`;
        const found = read(line);
        if (found !== undefined) expect(found).toStrictEqual(JSON.parse(line));
      }
    }
  });
});

describe("where there is no WebAssembly as it is needed", () => {
  const module = JSON.stringify(new URL("../../../build/src/format/tape/tape.js", import.meta.url));
  const script = `const { Tape } = await import(${module}); console.log(new Tape().scan(Buffer.from("{}")))`;
  const ask = (...argv: string[]) =>
    execFileSync(process.execPath, [...argv, "--input-type=module", "--eval", script], { encoding: "utf8" });

  test.each([
    ["none at all", "--jitless", true],
    ["no memory for it", "--wasm-max-mem-pages=1", true],
    ["no instructions for SIMD", "--no-enable-sse4-1", process.arch === "x64"],
  ])("no line is understood, which is no error: %s", (_what, flag, isKnownHere) => {
    expect([ask(), ask(flag)]).toEqual(["true\n", `${!isKnownHere}\n`]);
  });
});
