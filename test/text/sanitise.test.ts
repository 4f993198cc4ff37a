import { describe, expect, test } from "vitest";
import { plainLines } from "../../src/panels/text.ts";
import { oneLine, sanitise } from "../../src/text/sanitise.ts";
import { fc } from "../helpers/drawn.ts";

const ESC = "\u001b";
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

describe("F8: what a terminal would obey goes, payload and all", () => {
  const cases: [string, string][] = [
    ["colour", `a${ESC}[1;31mb${ESC}[0m`],
    ["cursor movement", `a${ESC}[2J${ESC}[Hb`],
    ["a window title", `a${ESC}]0;owned\u0007b`],
    ["the clipboard (OSC 52)", `a${ESC}]52;c;ZXZpbA==${ESC}\\b`],
    ["a link (OSC 8)", `${ESC}]8;;https://example.org${ESC}\\ab${ESC}]8;;${ESC}\\`],
    ["a device control string", `a${ESC}Pq#0;2;0;0;0${ESC}\\b`],
    ["a sequence wrapped for tmux", `a${ESC}Ptmux;${ESC}${ESC}]52;c;ZXZpbA==\u0007${ESC}\\b`],
    ["an application command", `a${ESC}_Gi=1;AAAA${ESC}\\b`],
    ["a privacy message", `a${ESC}^secret${ESC}\\b`],
    ["a start of string", `a${ESC}Xsecret\u009cb`],
    ["a reset", `a${ESC}cb`],
    ["a character set", `a${ESC}(0b`],
    ["backspace, bell, null, delete", "a\u0008\u0007\0\u007fb"],
    ["carriage return", "a\rb"],
    ["next line and other C1", "a\u0085\u0090\u009cb"],
    ["direction overrides and marks", "a\u200e\u200f\u202e\u2066\u061c\u202c\u2069b"],
    ["an escape at the end", `ab${ESC}`],
    ["an unfinished colour", `ab${ESC}[31`],
    ["an escape within an escape", `a${ESC}${ESC}[31m${ESC}[0mb`],
  ];
  test.each(cases)("%s", (_name, text) => {
    expect([sanitise(text), plainLines(text)]).toEqual(["ab", "ab"]);
  });
});

test("an unfinished string sequence ends with its line", () => {
  expect(sanitise(`${ESC}]0;title\nthe rest`)).toBe("\nthe rest");
});

test("text broken by a wrong decoding loses the control character and nothing else", () => {
  expect(sanitise("â\u0080\u009dquoteâ\u0080\u009c")).toBe("âquoteâ");
});

test.each(["plain", "two\nlines\tand a tab", "修复 👨‍👩‍👧‍👦 é ﷺ שלום", "\ud800 alone", ""])(
  "%j stays as it is",
  (text) => {
    expect(sanitise(text)).toBe(text);
  },
);

test("F8, I-13: no text gets a forbidden character through", () => {
  const hostile = fc.constantFrom(
    ESC,
    "[",
    "]",
    "P",
    "\\",
    "\u0007",
    "\u009b",
    "\u009c",
    "\u202e",
    "\r",
    "\n",
    ";",
    "m",
  );
  const text = fc
    .array(fc.oneof(hostile, fc.string({ unit: "binary" })), { maxLength: 30 })
    .map((parts) => parts.join(""));
  fc.assert(fc.property(text, (input) => !FORBIDDEN.test(sanitise(input))));
});

test("what is sanitised once is not changed again", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (input) => sanitise(sanitise(input)) === sanitise(input)),
  );
});

test("clean text is never changed", () => {
  const clean = fc.string({ unit: "grapheme" }).filter((text) => !FORBIDDEN.test(text));
  fc.assert(fc.property(clean, (input) => sanitise(input) === input));
});

test("a cell is one line", () => {
  expect(oneLine(`  a\r\n\tb${ESC}[31m  c \n`)).toBe("a b c");
});
