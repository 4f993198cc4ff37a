import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { closedMarkdown } from "../../src/export/markdown.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

test.each([
  ["a fence", "so:\n```js\nlet x", "so:\n```js\nlet x\n```"],
  ["a longer fence of tildes", "~~~~ md\n~~~\n```", "~~~~ md\n~~~\n```\n~~~~"],
  ["a comment", "a\n<!-- b\n\nc", "a\n\\<!-- b\n\nc"],
  ["a comment, and a fence in it", "  <!-- b\n\n```\nc", "  \\<!-- b\n\n```\nc\n```"],
  ["a comment in a fence", "```\n<!-- b", "```\n<!-- b\n```"],
  ["other HTML that blank lines do not end", "<script>\n\n<!DOCTYPE html", "\\<script>\n\n\\<!DOCTYPE html"],
])("%s that is open is closed, or becomes text", (_what, text, closed) => {
  expect(closedMarkdown(text)).toBe(closed);
});

test.each([
  "```\na\n```",
  "- a\n  ```\n  b",
  "> ```\n> a",
  "    ```\n    a",
  "``` a`b\nc",
  "<!-- a -->\n\n<pre>\n</pre>\n\nb",
  "<div>\nb",
])("what ends by itself stays as it is: %j", (text) => {
  expect(closedMarkdown(text)).toBe(text);
});

test("whatever a text is, what follows it is no part of it", () => {
  const piece = fc.constantFrom(
    "```",
    "~~~~",
    "<!--",
    "-->",
    "<pre>",
    "<?",
    "\n",
    "\n\n",
    "  ",
    "- ",
    "> ",
    "a",
    "<b>",
  );
  const markdown = new MarkdownIt({ html: true });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const page = markdown.parse(`${closedMarkdown(pieces.join(""))}\n\n## next`, {});
      expect(page.slice(-3).map(({ type, content }) => type + content)).toEqual([
        "heading_open",
        "inlinenext",
        "heading_close",
      ]);
    }),
    { numRuns: runs(2000) },
  );
});
