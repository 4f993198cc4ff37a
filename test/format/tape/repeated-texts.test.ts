import { expect, test } from "vitest";
import { RepeatedTexts } from "../../../src/format/tape/tape-values.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { jsonStyle, written } from "../../helpers/written-json.ts";
import { firstValue, taped } from "../taped.ts";

/** Texts that are easily taken for one another, and others. */
const text = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "user",
    "usor",
    "assistant",
    "é",
    "\u00c3\u00a9",
    "\ufffd",
    "a\ufffd",
    '"',
    "\\",
    "\n",
    "n",
  ),
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.string({ minLength: 60, maxLength: 70 }),
);

test("whatever was asked for before, a text is the one whose bytes stand there", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, jsonStyle)), (asked) => {
      const texts = new RepeatedTexts();
      for (const [wanted, style] of asked) {
        const tape = taped(written({ wanted }, { ...style, space: "" }));
        expect(texts.at(tape, firstValue(tape))).toBe(
          wanted.isWellFormed() ? wanted : JSON.parse(JSON.stringify(wanted)),
        );
      }
    }),
    { numRuns: runs(2000) },
  );
});

test("invalid bytes are not taken for the characters whose codes they are", () => {
  const texts = new RepeatedTexts();
  const lines = [
    Buffer.from('{"a":"\u00e9"}'),
    Buffer.from('{"a":"\xe9"}', "latin1"),
    Buffer.from('{"a":"\xc3"}', "latin1"),
  ];
  const read = lines.map((line) => {
    const tape = taped(line);
    return texts.at(tape, firstValue(tape));
  });
  expect(read).toEqual(["\u00e9", "\ufffd", "\ufffd"]);
});
