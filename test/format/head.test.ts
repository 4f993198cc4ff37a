import { describe, expect, test } from "vitest";
import { headOf } from "../../src/format/head.ts";
import { fc } from "../helpers/drawn.ts";

const head = (text: string) => headOf(Buffer.from(text));

describe("the head of an entry", () => {
  test("is every field before the first that holds others, and of its message the same", () => {
    const base = { type: "message", id: "a", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
    const role = { role: "toolResult", toolCallId: 'c"1\\', toolName: "réad", isError: false, n: -1.5e3 };
    const line = JSON.stringify({
      ...base,
      message: { ...role, content: [{ type: "text" }], usage: {} },
      x: 1,
    });
    expect(head(line)).toEqual({ ...base, message: role });
  });

  test("ends where its bytes end, and leaves out a value that may go on", () => {
    const line = '{"type":"message","id":"a","message":{"role":"user","content":"é and m';
    expect(head(line)).toEqual({ type: "message", id: "a", message: { role: "user" } });
    expect(head('{"type":"custom","id":"ab')).toEqual({ type: "custom" });
    expect(head('{"type":"custom","count":12')).toEqual({ type: "custom" });
    expect(headOf(Buffer.from('{"type":"x","id":"é').subarray(0, -1))).toEqual({ type: "x" });
  });

  test("ends before an object or list other than the message", () => {
    expect(head('{"type":"custom","data":{"id":"b"},"id":"a"}')).toEqual({ type: "custom" });
    expect(head('{"type":"custom","data":[1],"id":"a"}')).toEqual({ type: "custom" });
    expect(head('{"type":"message","message":[{"role":"user"}]}')).toEqual({ type: "message" });
  });

  test("has fields of any name, and no other prototype", () => {
    const found = head('{"type":"x","__proto__":"y","id":"a","constructor":1}');
    expect(Object.entries(found ?? {})).toEqual([
      ["type", "x"],
      ["__proto__", "y"],
      ["id", "a"],
      ["constructor", 1],
    ]);
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  });

  test.each([
    "",
    "\0\0\0",
    "[1",
    "5",
    '{"id":"a","data":{}}',
    '{"type":5}',
    '{"type":"session","id":"a"}',
    "{type:1",
  ])("is nothing where a line does not begin like an entry: %j", (text) => {
    expect(head(text)).toBeNull();
  });

  test("is what JSON says, whatever is written, and wherever it ends", () => {
    const scalar = fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.boolean(), fc.constant(null));
    const fields = fc.dictionary(fc.string(), scalar, { noNullPrototype: true });
    fc.assert(
      fc.property(fields, fields, fc.nat(), (outer, inner, cut) => {
        const entry = { type: "message", ...outer, id: "a" };
        if (entry.type !== "message") return;
        const bytes = Buffer.from(JSON.stringify({ ...entry, message: { ...inner, content: [] } }));
        const written = JSON.parse(bytes.toString()) as { message: Record<string, unknown> };
        const { content: _, ...message } = written.message;
        expect(headOf(bytes)).toEqual({ ...written, message });
        const part = headOf(bytes.subarray(0, cut % bytes.length)) ?? {};
        for (const [name, value] of Object.entries(part)) {
          if (name !== "message") expect(value).toEqual(written[name as keyof typeof written]);
        }
      }),
    );
  });
});
