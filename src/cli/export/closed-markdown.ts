import { blocks } from "./markdown-blocks.ts";

/**
 * Starts of the HTML blocks that run to an end of their own, across blank lines and headings: CommonMark's kinds 1 to 5.
 */
const HTML = "<(?=[!?]|(?:script|pre|style|textarea)\\b)";
const OPENING_HTML = new RegExp(`^( {0,3})${HTML}`, "gim");
const OPENING = new RegExp(`^ {0,3}(?:\`{3}|~{3}|${HTML})`, "im");

/**
 * Markdown that ends where the text does, as that of an answer that was cut off need not: a code fence that is open is
 * closed, and HTML that nothing ends (`<!--`) is text.
 */
export function closedMarkdown(text: string): string {
  if (!OPENING.test(text)) return text;
  const last = blocks.parse(`${text}\n\nend`, {}).at(-1);
  if (last?.type === "fence") return `${text}\n${last.markup}`;
  if (last?.type !== "html_block") return text;
  const lines = text.split("\n");
  const html = lines.splice(last.map?.[0] ?? 0).join("\n");
  return closedMarkdown([...lines, html.replace(OPENING_HTML, "$1\\<")].join("\n"));
}
