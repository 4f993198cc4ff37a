import { expect, test } from "vitest";
import { Colours } from "../../src/render/code-colours.ts";
import { markdownToHtml } from "../../src/render/html-markdown.ts";

test("a column keeps the side its Markdown says, without a style of its own", () => {
  const { source } = markdownToHtml("| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |", new Colours());
  const cells = (tag: string) => source.match(new RegExp(`<${tag}[ >].*?</${tag}>`, "g"));
  expect(cells("th")).toEqual([
    "<th>a</th>",
    "<th>b</th>",
    '<th class="center">c</th>',
    '<th class="right">d</th>',
  ]);
  expect(cells("td")).toEqual([
    "<td>1</td>",
    "<td>2</td>",
    '<td class="center">3</td>',
    '<td class="right">4</td>',
  ]);
});

test("headings of a text stand below its entry's without a level left out, six levels deep at most", () => {
  const { source } = markdownToHtml(
    "## a\n\nb\n---\n\n#### c\n\n##### d\n\n###### f\n\n- # e",
    new Colours(),
  );
  expect(source.match(/<h\d>\w<\/h\d>/g)).toEqual([
    "<h3>a</h3>",
    "<h3>b</h3>",
    "<h4>c</h4>",
    "<h5>d</h5>",
    "<h6>f</h6>",
    "<h3>e</h3>",
  ]);
});

test.each([
  ["a paragraph", "שלום world", '<p dir="rtl">שלום world</p>'],
  [
    "one that begins with code, digits and links",
    "`x()` 1 [שלום](http://a)",
    '<p dir="rtl"><code>x()</code> 1 <a',
  ],
  ["a heading", "# مرحبا", '<h3 dir="rtl">مرحبا</h3>'],
  [
    "a list as a whole",
    "1. شيء\n2. thing\n   - شيء",
    '<ol dir="rtl">\n<li>شيء</li>\n<li>thing\n<ul>\n<li>شيء',
  ],
  ["a quote and what is in it", "> شيء\n>\n> شيء", '<blockquote dir="rtl">\n<p>شيء</p>\n<p>شيء</p>'],
  [
    "a table",
    "| شيء | a |\n|---|---|\n| b | c |",
    '<div class="wide" tabindex="0" role="group"><table dir="rtl">\n<thead>\n<tr>\n<th>شيء</th>\n<th>a</th>',
  ],
  ["Adlam", "𞤀𞤣𞤤𞤢𞤥", '<p dir="rtl">𞤀𞤣𞤤𞤢𞤥</p>'],
])("%s whose first letter is of such a script is written from right to left", (_what, text, beginning) => {
  expect(markdownToHtml(text, new Colours()).source.slice(0, beginning.length)).toBe(beginning);
});

test("blocks are written from left to right in one that is not where they begin so", () => {
  const { source } = markdownToHtml("> שלום\n>\n> one\n>\n> 1\n> - שלום\n> - two", new Colours());
  expect(source.match(/<(?:blockquote|p|ul)[ >][^<]*/g)).toEqual([
    '<blockquote dir="rtl">\n',
    "<p>שלום",
    '<p dir="ltr">one',
    "<p>1",
    "<ul>\n",
  ]);
});

test("a text that begins in Latin letters says nothing of its direction", () => {
  for (const text of ["Hebrew: שלום", "- one\n- שלום", "| a |\n|---|\n| שלום |", "```\nשלום\n```", "1, 2"])
    expect(markdownToHtml(text, new Colours()).source).not.toContain("dir=");
});
