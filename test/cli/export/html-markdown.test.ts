import { expect, test } from "vitest";
import { markdownToHtml } from "../../../src/cli/export/html-markdown.ts";

test("a column keeps the side its Markdown says, without a style of its own", () => {
  const { source } = markdownToHtml("| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |");
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

test("headings of a text stand below the page's and its entry's, six levels deep at most", () => {
  const { source } = markdownToHtml("# a\n\nb\n---\n\n### c\n\n##### d\n\n- # e");
  expect(source.match(/<h\d>\w<\/h\d>/g)).toEqual([
    "<h3>a</h3>",
    "<h4>b</h4>",
    "<h5>c</h5>",
    "<h6>d</h6>",
    "<h3>e</h3>",
  ]);
});
