import { expect, test } from "vitest";
import { TextRoom } from "../../../../src/sync/full-text/segments/text-room.ts";
import { Tokenizer } from "../../../../src/sync/full-text/segments/tokenizer.ts";
import { FIELDS, LENGTH, type Tokens } from "../../../../src/sync/full-text/segments/tokens.ts";
import { markEscapedWords } from "../../../../src/sync/full-text/segments/word-bits.ts";
import { fc } from "../../../helpers/drawn.ts";
import { theAlphabet } from "../../../helpers/full-text-image.ts";
import { runs } from "../../../helpers/fuzz.ts";

/** All words of a text, and those that may hold names. */
function wordsBy(cut: (tokenizer: Tokenizer) => void): string[] {
  const found: string[] = [];
  const take = (words: Tokens) => {
    for (let at = 0; at < words.count; at++) {
      const fields = [...words.fields.subarray(FIELDS * at, FIELDS * at + LENGTH + 1)];
      found.push(fields.join());
    }
    found.push([...words.rest.subarray(0, words.restEnd)].join());
  };
  const note = (text: TextRoom, from: number, to: number) =>
    found.push(text.bytes.toString("utf8", from, to));
  const names = {
    look: note,
    lookForeign: note,
    lookRespelt: (text: TextRoom, end: number) => note(text, 0, end),
  };
  const tokenizer = new Tokenizer(theAlphabet(), { words: { take }, names });
  cut(tokenizer);
  tokenizer.flush();
  return found;
}

/** As JSON writes it, after some other bytes. */
function wordsWritten(text: string): string[] {
  const written = JSON.stringify(text);
  const room = TextRoom.of(`\\${written}nothing`);
  const from = 2;
  return wordsBy((tokenizer) => tokenizer.addEscaped(room, from, from + Buffer.byteLength(written) - 2));
}

function wordsRead(text: string): string[] {
  const room = TextRoom.of(text);
  return wordsBy((tokenizer) => tokenizer.add(room, 0, room.end));
}

/** Characters that are escaped, with what may stand beside them, so that escapes begin and end anywhere. */
const PIECES = [
  "\n",
  "\t",
  '"',
  "\\",
  "\\\\",
  "n",
  "nN",
  "word",
  "fooBar",
  "é",
  "天",
  "\u0301",
  " ",
  "x".repeat(29),
  "y".repeat(2011),
];
const TEXT = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.integer({ min: 1, max: 40 })), { maxLength: 30 })
  .map((pieces) => pieces.map(([piece, times]) => piece.repeat(piece.length > 100 ? 1 : times)).join(""));

test("the words of a text with escapes are those of the text", () => {
  fc.assert(
    fc.property(TEXT, (text) => {
      expect(wordsWritten(text)).toEqual(wordsRead(text));
    }),
    { numRuns: runs(500) },
  );
});

test("an escape is told from what follows a backslash that is escaped, wherever numbers of bits end", () => {
  for (let before = 0; before < 70; before++) {
    for (const slashes of [1, 2, 3, 4, 31, 32, 33, 64, 65]) {
      const text = `${" ".repeat(before)}${"\\".repeat(slashes)}nb`;
      const room = TextRoom.of(text);
      const bits = new Int32Array(8);
      markEscapedWords(room.view, 0, room.end, { bits, isOpen: false });
      const marked = [...text]
        .filter((_, at) => ((bits[at >> 5] ?? 0) & (0x80000000 >>> (at & 31))) !== 0)
        .join("");
      expect([before, slashes, marked]).toEqual([before, slashes, slashes % 2 === 1 ? "b" : "nb"]);
    }
  }
});
