import { expect, test } from "vitest";
import { TRANSCRIPT_STYLE } from "../../src/render/html-style.ts";

/** Light, dark, paper: each declaration of the colours, in the order of the style. */
const themes = TRANSCRIPT_STYLE.split(/(?=--paper:)/)
  .slice(1)
  .map(
    (text) =>
      new Map([...text.matchAll(/--([a-z]+): #([0-9a-f]{3,6});/g)].map(([, name, hex]) => [name, hex])),
  );

/** As WCAG 2.2 defines it. */
function luminance(hex: string): number {
  const long = hex.length === 3 ? hex.replace(/./g, "$&$&") : hex;
  const [r = 0, g = 0, b = 0] = [0, 2, 4]
    .map((at) => Number.parseInt(long.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one = "", other = ""): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const WORDS = ["ink", "faint", "user", "assistant", "tool", "bad", "word", "string", "number", "title"];
const GROUNDS = ["paper", "box"];
const PAIRS = [
  ...WORDS.flatMap((word) => GROUNDS.map((ground) => [word, ground] as const)),
  ["ink", "added"] as const,
  ["ink", "removed"] as const,
  ["ink", "mark"] as const,
];

test.each(["light", "dark", "print"])(
  "each colour of words in %s can be read: a contrast of 4.5 or more",
  (name) => {
    const theme = themes[["light", "dark", "print"].indexOf(name)];
    const faint = PAIRS.filter(([word, ground]) => !(contrast(theme?.get(word), theme?.get(ground)) >= 4.5));
    expect(
      faint.map(
        ([word, ground]) => `${word} on ${ground}: ${contrast(theme?.get(word), theme?.get(ground))}`,
      ),
    ).toEqual([]);
  },
);

test("the style of a conversation touches nothing outside of it", () => {
  const outside = TRANSCRIPT_STYLE.replace(/^\.transcript \{[\s\S]*\n\}\n$/m, "").trim();
  expect([outside, TRANSCRIPT_STYLE.split("{").length]).toEqual(["", TRANSCRIPT_STYLE.split("}").length]);
});
