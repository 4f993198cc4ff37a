import { describe, expect, test } from "vitest";
import { entriesWithin } from "../../src/format/recover.ts";
import { fc } from "../helpers/drawn.ts";

const entry = (id: string, more: object = {}) => ({
  type: "message",
  id,
  parentId: null,
  timestamp: "2026-11-03T10:00:00.000Z",
  message: { role: "user", content: [{ type: "text", text: `{"type":"x"} é ${id} \\ "}{"` }] },
  ...more,
});
const text = (value: object) => JSON.stringify(value);
const idsIn = (line: string | Buffer) => entriesWithin(Buffer.from(line)).map((found) => found.entry.id);

describe("a damaged line", () => {
  const whole = text(entry("whole"));
  test.each([
    ["a torn entry before a whole one", text(entry("torn")).slice(0, 90) + whole, ["whole"]],
    ["torn within a text", text(entry("torn")).slice(0, -20) + whole, ["whole"]],
    ["two without a line end between them", whole + text(entry("second")), ["whole", "second"]],
    ["NULs before one", "\0".repeat(4096) + whole, ["whole"]],
    ["a whole one before rubbish", `${whole}}}]]"`, ["whole"]],
    ["one before a torn one", whole + text(entry("torn")).slice(0, 60), ["whole"]],
    [
      "a torn entry that keeps whole ones, and one behind it",
      text(entry("torn", { data: { entries: [entry("kept"), entry("too")], more: "more" } })).slice(0, -4) +
        whole,
      ["whole"],
    ],
    ["torn before a value", `{"type":"custom","data":${whole}`, ["whole"]],
    ["an entry of version 1", `x${text({ ...entry("one"), id: undefined })}`, [undefined]],
    ["a header", `x${text({ type: "session", id: "s", timestamp: "2026-11-03T10:00:00.000Z" })}`, []],
    [
      "a block of a message, or a call",
      'x{"type":"text","text":"t"}{"type":"toolCall","id":"c","name":"n"}',
      [],
    ],
    ["a text that looks like an entry", `x${JSON.stringify(whole)}`, []],
  ])("%s", (_what, line, ids) => {
    expect(idsIn(line)).toEqual(ids);
  });

  test("every entry is the bytes that it is said to be", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 4 }), fc.nat(80), (texts, cut) => {
        const entries = texts.map((each, at) => text(entry(`e${at}`, { note: each })));
        const line = Buffer.from(text(entry("torn")).slice(0, cut) + entries.join(""));
        const found = entriesWithin(line).map(({ at, length }) => line.toString("utf8", at, at + length));
        expect(found).toEqual(entries);
      }),
    );
  });

  test("of beginnings of objects alone is given up in time", () => {
    expect(entriesWithin(Buffer.from('{"a":'.repeat(1_000_000)))).toEqual([]);
  });
});
