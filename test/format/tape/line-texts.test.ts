import { expect, test } from "vitest";
import { LONGEST_TEXT } from "../../../src/format/content.ts";
import { parseLine } from "../../../src/format/parse.ts";
import { INDEXED, searchableTexts, WHOLE } from "../../../src/format/searchable.ts";
import { textsIn } from "../../../src/format/tape/line-texts.ts";
import { Tape } from "../../../src/format/tape/tape.ts";
import type { ExpectedEntry } from "../../../src/format/upgrade.ts";
import { anyEntry } from "../../helpers/any-entry.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { longText } from "../../helpers/long-text.ts";
import { jsonStyle, written } from "../../helpers/written-json.ts";

const RUNS = runs(500);
const tape = new Tape();

const WANTED: ExpectedEntry = { type: "message", entryId: "0a", version: 3 };
const SPOKEN = '{"type":"message","id":"0a","message":{"role":"user","content":"said \\ud83c"}}';

test("texts are those that parsing gives", { timeout: 120_000 + RUNS * 50 }, () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), longText);
  fc.assert(
    fc.property(anyEntry(text), jsonStyle, (entry, style) => {
      const line = Buffer.from(written({ ...entry, id: "0a" }, style));
      const parsed = parseLine(line);
      const stated = parsed.kind === "entry" ? parsed.entry.type : "";
      // As the index gives it back: SQLite keeps text as UTF-8.
      const type = typeof stated === "string" ? stated.toWellFormed() : "";
      for (const limits of [INDEXED, WHOLE]) {
        const expected = parsed.kind === "entry" ? searchableTexts(parsed.entry, limits) : null;
        expect(textsIn(line, { ...WANTED, type }, { tape, limits })).toEqual(expected);
      }
    }),
    { numRuns: RUNS },
  );
});

test("of texts longer than a book the beginnings are looked into, as if the line had been parsed", () => {
  for (const [role, piece] of [
    ["user", "a🍐"],
    ["assistant", "天\n"],
    ["toolResult", "\u0001b"],
    ["bashExecution", "c"],
  ]) {
    const text = (piece ?? "").repeat(LONGEST_TEXT);
    const message = { role, toolName: "bash", content: [{ type: "text", text }], output: text };
    const entry = { type: "message", id: "0a", message };
    const texts = textsIn(Buffer.from(JSON.stringify(entry)), WANTED, { tape, limits: INDEXED });
    expect(texts).toEqual(searchableTexts(entry));
    expect(Math.max(...(texts ?? []).map((each) => each.length))).toBeLessThanOrEqual(LONGEST_TEXT);
  }
});

test.each<[string, Partial<ExpectedEntry>, string[] | null]>([
  ["the entry that is wanted", {}, ["said \ufffd"]],
  ["another one", { entryId: "0b" }, null],
  ["one of another type", { type: "custom_message" }, null],
  ["one of version 1, which has no id", { version: 1, entryId: "v1-2" }, ["said \ufffd"]],
])("a line holds %s", (_what, wanted, texts) => {
  const line = wanted.version === 1 ? SPOKEN.replace('"id":"0a",', "") : SPOKEN;
  expect(textsIn(Buffer.from(line), { ...WANTED, ...wanted }, { tape, limits: INDEXED })).toEqual(texts);
});

test("a line that is no entry any more has no texts", () => {
  for (const line of ["", "5", "{", SPOKEN.slice(0, -1)]) {
    expect(textsIn(Buffer.from(line), WANTED, { tape, limits: INDEXED })).toBeNull();
  }
});
