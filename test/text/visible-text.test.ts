import { describe, expect, test } from "vitest";
import { hidesSomething } from "../../src/text/visible-text.ts";

/** Controls, and characters without width or that turn the direction of writing. */
const NOT_SEEN =
  /\p{Cc}|\u034f|[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\u180b-\u180f]|[\ufe00-\ufe0f]/u;
const CODES = 0x10000;

describe("a text hides something", () => {
  test("where it has a character that is not seen, and only there", () => {
    const unlike = Array.from({ length: CODES }, (_, code) => String.fromCharCode(code)).filter(
      (character) => hidesSomething(`a${character}b`) !== isUnseen(character),
    );
    expect(unlike).toEqual([]);
  });

  test.each([
    ["\u001b[31mred\u001b[0m", true],
    ["[31mred[0m", true],
    ["[1;38:5m", true],
    [String.raw`\e[1m`, true],
    [String.raw`\033[K`, true],
    ["a return\rwithin a line", true],
    ["a return at the end\r", true],
    ["lines\r\nas Windows has them\r\n", false],
    ["[m", false],
    ["[K and [mK", false],
    ["list[31]", false],
    ["list[31", false],
    ["list[", false],
    ["\ttabs\nand lines ~ Größe 天", false],
    ["", false],
  ])("%j: %s", (text, hides) => {
    expect(hidesSomething(text)).toBe(hides);
  });
});

function isUnseen(character: string): boolean {
  return NOT_SEEN.test(character) && !"\t\n".includes(character);
}
