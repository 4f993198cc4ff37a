import { blocks } from "./markdown-blocks.ts";

/** Levels that headings go down: the title of an export has the first, each speaker the second. */
const LOWER_BY = 2;
const LOWEST = 6;
/** Lines that may be a heading or underline one; in all other texts there is none. */
const HEADING = /^[ \t>*+\d.)-]*#{1,6}(?:[ \t]|$)|^[ \t>]*(?:=+|-+)[ \t]*$/m;
/** At the end of a line, what keeps it a line of its own. */
const HARD_BREAK = /(?<!\\)\\$/;
/** Number signs that would close the heading they end. */
const CLOSING = /(^|\s)(#+)$/;

/** Markdown whose headings stand below those of the export that it becomes part of. */
export function loweredHeadings(text: string): string {
  if (!HEADING.test(text)) return text;
  const tokens = blocks.parse(text, {});
  const lines = text.split("\n");
  // From the end, because a heading that was underlined is one line less.
  for (let at = tokens.length - 1; at >= 0; at--) {
    const token = tokens[at];
    if (token?.type !== "heading_open" || token.map === null) continue;
    const [from, to] = token.map;
    const first = lines[from] ?? "";
    const signs = "#".repeat(Math.min(LOWEST, Number(token.tag.slice(1)) + LOWER_BY));
    const isUnderlined = !token.markup.startsWith("#");
    const heading = isUnderlined
      ? onOneLine(first, signs, tokens[at + 1]?.content ?? "")
      : first.replace(/#+/, signs);
    lines.splice(from, to - from, heading);
  }
  return lines.join("\n");
}

/** A heading that was underlined, behind the marks of the lists and quotes it stands in. */
function onOneLine(first: string, signs: string, content: string): string {
  const lines = content.split("\n");
  const before = first.slice(0, first.lastIndexOf((lines[0] ?? "").trim()));
  const last = lines.pop() ?? "";
  const words = [...lines.map((line) => line.replace(HARD_BREAK, "").trim()), last.trim()].join(" ");
  return `${before}${signs} ${words.replace(CLOSING, "$1\\$2")}`;
}
