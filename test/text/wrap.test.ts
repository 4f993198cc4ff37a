import { expect, test } from "vitest";
import { widthOf, wrapText } from "../../src/text/width.ts";
import { wrapWords } from "../../src/text/wrap-words.ts";

test("lines stay lines, and the space before them stays", () => {
  expect(wrapText("if (x) {\n\treturn;\n}\n", 40)).toEqual(["if (x) {", "    return;", "}"]);
});

test("a long line breaks after a space, a long word and Chinese anywhere", () => {
  expect(wrapText("the quick brown fox jumps", 12)).toEqual(["the quick", "brown fox", "jumps"]);
  expect(wrapText("x".repeat(25), 10)).toEqual(["xxxxxxxxxx", "xxxxxxxxxx", "xxxxx"]);
  expect(wrapText("a bcdefghijklmnop", 10)).toEqual(["a bcdefghi", "jklmnop"]);
  expect(wrapText("低头思故乡举头望明月", 10)).toEqual(["低头思故乡", "举头望明月"]);
});

test("no line is wider than asked, and no character is lost", () => {
  const text = "👩‍👩‍👧 é́ 天气 and\tmore ".repeat(40);
  for (const width of [8, 13, 60]) {
    const lines = wrapText(text, width);
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
    expect(lines.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
  }
});

test("nothing that a terminal obeys is left", () => {
  expect(wrapText("a\x1b[31mred\x1b]0;title\x07\u009b2J\u202eb\r", 80)).toEqual(["ared2Jb"]);
});

test("without a width nothing is broken", () => {
  expect(wrapText("x ".repeat(500), undefined)).toHaveLength(1);
});

test("words of ours are never broken, however long", () => {
  expect(wrapWords("delete /home/ada/x-v1.db and go on", 12)).toEqual([
    "delete",
    "/home/ada/x-v1.db",
    "and go on",
  ]);
  expect(wrapWords("a b", undefined)).toEqual(["a b"]);
  expect(wrapWords("there is no folder /天气 any more", 16)).toEqual([
    "there is no",
    "folder /天气 any",
    "more",
  ]);
});
