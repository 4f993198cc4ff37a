import { describe, expect, test } from "vitest";
import { parseLine } from "../../src/format/parse.ts";
import { fc } from "../helpers/drawn.ts";

function kindOf(text: string | Uint8Array): string {
  return parseLine(Buffer.from(text as string)).kind;
}

describe("a line is", () => {
  test.each(["", " ", "\t  ", "\r", "\ufeff", "\u00a0"])("blank when it is only white space: %j", (text) => {
    expect(kindOf(text)).toBe("blank");
  });

  test.each(["0", "null", "false", '""', "-0", " 0 "])("falsy when pi passes over it: %s", (text) => {
    expect(kindOf(text)).toBe("falsy");
  });

  test.each(["5", "true", '"text"', "[]", "[1]", '[{"type":"session","id":"a"}]'])(
    "a scalar when it is JSON but no object: %s",
    (text) => {
      expect(kindOf(text)).toBe("scalar");
    },
  );

  test.each(["{", '{"a":1}{"b":2}', "NaN", "undefined", "\0", "{'a':1}", "\ufeff{}"])(
    "malformed when it is no JSON: %j",
    (text) => {
      expect(kindOf(text)).toBe("malformed");
    },
  );

  test.each([{ type: "session" }, { type: "session", id: 7 }, { type: "Session", id: "a" }, {}])(
    "an entry when it is an object but no header: %j",
    (object) => {
      expect(kindOf(JSON.stringify(object))).toBe("entry");
    },
  );
});

test("a header is an object of type session with a string id, and keeps its other fields", () => {
  const header = { type: "session", id: "a", cwd: "/x", unknown: [1] };
  expect(parseLine(Buffer.from(JSON.stringify(header)))).toEqual({ kind: "header", header });
});

test("a header may have an empty id", () => {
  expect(kindOf('{"type":"session","id":""}')).toBe("header");
});

test("A9: invalid UTF-8 inside a string becomes U+FFFD", () => {
  const bytes = Buffer.concat([Buffer.from('{"type":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  expect(parseLine(bytes)).toEqual({ kind: "entry", entry: { type: "\ufffd\ufffd" } });
});

test("A25: a field named __proto__ is a field and no prototype", () => {
  const parsed = parseLine(Buffer.from('{"type":"session","id":"a","__proto__":{"cwd":"/evil"}}'));
  expect(parsed.kind === "header" && parsed.header.cwd).toBeUndefined();
});

test("A30: nesting 100,000 deep is read, not thrown at", () => {
  const depth = 100_000;
  expect(kindOf(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`)).toBe("entry");
});

test("I-12: nothing is ever thrown, whatever the bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(["blank", "falsy", "scalar", "malformed", "entry", "header"]).toContain(kindOf(bytes));
    }),
  );
});

test("any object comes back as it was written", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (object) => {
      const written = JSON.stringify({ ...object, type: "any" });
      const parsed = parseLine(Buffer.from(written));
      expect(parsed.kind === "entry" && JSON.stringify(parsed.entry)).toBe(
        JSON.stringify(JSON.parse(written)),
      );
    }),
  );
});
