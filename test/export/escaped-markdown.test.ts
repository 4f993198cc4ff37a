import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { escapedMarkdown } from "../../src/export/markdown.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

test.each([
  ["Why does <Suspense> crash in __init__.py?", "Why does \\<Suspense> crash in \\_\\_init\\_\\_.py?"],
  ["*args is [x](y) | `z` ~~gone~~ \\", "\\*args is \\[x\\](y) \\| \\`z\\` \\~\\~gone\\~\\~ \\\\"],
  ["learn C #", "learn C \\#"],
  ["&lt; & AT&T", "\\&lt; & AT&T"],
])("what Markdown would read as more than text is escaped: %j", (line, escaped) => {
  expect(escapedMarkdown(line)).toBe(escaped);
});

test.each(["branch_summary", "#12 is 3 > 2 - 1 + 5!", "C# (and F#)", "a.b-c: 'd' \"e\""])(
  "other text stays as it is: %j",
  (line) => {
    expect(escapedMarkdown(line)).toBe(line);
  },
);

test("a heading says what its text says, whatever that is", () => {
  const markdown = new MarkdownIt({ html: true });
  const pieces = fc.constantFrom(
    ...[..."_*`<>[]()~|#&;!:\\ ab1é/-"],
    ...["__", "**", "&amp;", "&#35;", "<b>", "![x](y)", "https://a.b", "[^1]"],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (chosen) => {
      const line = chosen.join("").replace(/\s+/g, " ").trim();
      const inline = markdown.parse(`# ${escapedMarkdown(line)}`, {})[1]?.children ?? [];
      expect(inline.filter(({ type }) => type !== "text" && type !== "text_special")).toEqual([]);
      expect(inline.map(({ content }) => content).join("")).toBe(line);
    }),
    { numRuns: runs(2000) },
  );
});
