import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { closedMarkdown, loweredHeadings } from "../../src/export/markdown.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

test.each([
  ["# One\n## Two ##\n###### Six", "### One\n#### Two ##\n###### Six"],
  ["> # a\n\n- ## b\n  1. ### c", "> ### a\n\n- #### b\n  1. ##### c"],
  ["One\n===\ntext\n\nTwo\n---", "### One\ntext\n\n#### Two"],
  ["> a \\\n> b  \n> C #\n> ===\n\n- d\n  ---", "> ### a b C \\#\n\n- #### d"],
])("headings go two levels down, however they are written: %j", (text, lowered) => {
  expect(loweredHeadings(text)).toBe(lowered);
});

test.each([
  "```sh\n# a comment\n```",
  "    # code",
  "#hashtag",
  "<!--\n# a\n-->",
  "a\n\n---\n\n- b\n---",
  "| a |\n|---|\n| # |",
  "\\# a",
])("what is no heading stays as it is: %j", (text) => {
  expect(loweredHeadings(text)).toBe(text);
});

test("whatever a text is, it reads as before but for the levels of its headings", () => {
  const markdown = new MarkdownIt({ html: true });
  const pieces = fc.constantFrom(
    ...["# ", "##", "#", "===", "---", "-", "\n", "\n", "\n\n", "  ", "    ", "\t"],
    ...["- ", "> ", "1. ", "a", "b", "*c*", "`", "```", "<!--", "-->", "<div>", "\\", "[x]: y"],
  );
  const read = (text: string): string =>
    markdown
      .render(text)
      .replace(/<br>/g, "")
      .replace(/\s+/g, " ")
      .replace(/(?<=<h\d>) | (?=<\/h\d>)/g, "");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 25 }), (chosen) => {
      const text = closedMarkdown(chosen.join(""));
      const lower = (_tag: string, slash: string, level: string): string =>
        `<${slash}h${Math.min(6, Number(level) + 2)}>`;
      expect(read(loweredHeadings(text))).toBe(read(text).replace(/<(\/?)h(\d)>/g, lower));
    }),
    { numRuns: runs(2000) },
  );
});
