import MarkdownIt from "markdown-it";
import { tildePath } from "../files/paths.ts";
import { editOf } from "../format/edit-diff.ts";
import { isFailedResult } from "../format/entry.ts";
import { speakerOf } from "../format/speaker.ts";
import { callText, imageBytes, type Part, partsOf } from "../format/transcript.ts";
import { usageOf } from "../format/usage.ts";
import { type Cleaner, type Exported, missing } from "../render/exported-session.ts";
import { readBody } from "../store/tables/entry-bodies.ts";
import type { EntryNode } from "../store/tables/entry-nodes.ts";
import { formatBytes, formatMoney, plural } from "../text/numbers.ts";
import { formatMoment } from "../time/calendar.ts";
import { factsOf } from "./facts.ts";

/** One branch of a session for a Markdown reader: what was said as it was written, tool calls and output in fences. */
export function* markdownOf(exported: Exported): Generator<string> {
  const { session, nodes, branch, clean, home } = exported;
  yield `# ${escapedMarkdown(flat(clean.title(session)))}\n\n`;
  yield `- Project: ${code(flat(clean.text(tildePath(session.cwd, home))))}\n`;
  for (const [name, value] of factsOf(exported)) yield `- ${name}: ${line(clean, value)}\n`;
  const shown = branch === undefined ? nodes.pathTo(nodes.leaf) : nodes.branchThrough(branch);
  for (const node of shown) yield* entryOf(node, exported);
  const others = session.branchCount - 1;
  if (others > 0) yield `\n---\n\n*${plural(others, "other branch", "other branches")} not shown.*\n`;
}

function* entryOf(node: EntryNode, exported: Exported): Generator<string> {
  const { clean, timezone, nodes } = exported;
  const gap = nodes.gapAbove(node);
  if (gap !== undefined) yield `\n*${line(clean, gap)}*\n`;
  const entry = readBody(node)?.entry;
  if (entry === undefined) {
    yield `\n*${missing(node)}*\n`;
    return;
  }
  const parts = partsOf(entry);
  const [first] = parts;
  if (first === undefined) return;
  if (first.kind === "note") {
    yield `\n*${line(clean, first.text)}*\n`;
    return;
  }
  const usage = usageOf(entry);
  const facts = [
    isFailedResult(node) ? "failed" : "",
    node.timestamp === null ? "" : formatMoment(node.timestamp, timezone),
    line(clean, usage?.model ?? ""),
    usage === null || usage.cost === 0 ? "" : formatMoney(usage.cost),
    node.label === null ? "" : `**${line(clean, node.label)}**`,
  ].filter(Boolean);
  const heading = line(clean, speakerOf(node));
  yield `\n## ${heading}${facts.length > 0 ? ` · ${facts.join(" · ")}` : ""}\n`;
  for (const part of parts) yield `\n${partOf(part, clean)}\n`;
}

function partOf(part: Part, clean: Cleaner): string {
  switch (part.kind) {
    case "text":
      return loweredHeadings(closedMarkdown(trimmed(clean.text(part.text))));
    case "thinking":
      return quote(`*Thinking*\n\n${loweredHeadings(trimmed(clean.text(part.text)))}`);
    case "call":
      return callOf(part, clean);
    case "output":
      return fence(clean.text(part.text));
    case "error":
      return `**${line(clean, part.text)}**`;
    case "note":
      return `*${line(clean, part.text)}*`;
    case "image":
      return `*[image ${line(clean, part.mimeType)}, ${formatBytes(imageBytes(part))}]*`;
  }
}

/** What it is about stands beside the name, unless it has lines of its own: joined they could be another command. */
function callOf({ name, args }: Extract<Part, { kind: "call" }>, clean: Cleaner): string {
  const edit = editOf(args);
  const { about, rest } = callText(edit?.args ?? args);
  const shown = trimmed(clean.text(about));
  const isBeside = shown !== "" && !shown.includes("\n");
  const head = `**${line(clean, name)}**${isBeside ? ` ${code(shown)}` : ""}`;
  const below = [isBeside ? "" : shown, clean.text(rest)].filter(Boolean).map((text) => fence(text));
  if (edit !== null) below.push(fence(clean.text(edit.diff), "diff"));
  return [head, ...below].join("\n\n");
}

/** Text that is no Markdown, on one line of it. */
function line(clean: Cleaner, text: string): string {
  return escapedMarkdown(flat(clean.text(text)));
}

function flat(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Between more backticks than the text has in a row. */
function code(text: string): string {
  const ticks = "`".repeat(longestRun(text) + 1);
  const pad = /^`|`$/.test(text) ? " " : "";
  return text === "" ? "" : `${ticks}${pad}${text}${pad}${ticks}`;
}

function fence(text: string, language = ""): string {
  const ticks = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}${language}\n${text.replace(/(?<!\n)\n+$/, "")}\n${ticks}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((each) => `> ${each}`.trimEnd())
    .join("\n");
}

/** Without blank lines before it and white space after it: what the first line is indented by means something. */
function trimmed(text: string): string {
  const start = text.lastIndexOf("\n", text.search(/\S|$/) - 1) + 1;
  return text.slice(start).trimEnd();
}

/** Tells the blocks of Markdown; what is inside of them does not matter here. */
const blocks = new MarkdownIt({ html: true }).disable("inline");

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

const LETTER = String.raw`[\p{L}\p{N}]`;

/**
 * What Markdown reads as more than a character: an underscore only beside a word, an ampersand only before the name of
 * a character, number signs only where they could close a heading.
 */
const MEANT = new RegExp(
  String.raw`[\\\x60*<[\]~|]|(?<!${LETTER})_|_(?!${LETTER})|&(?=#?\w+;)|(?<!\S)#+$`,
  "gu",
);

/** One line of text as Markdown that shows it as it is. */
export function escapedMarkdown(line: string): string {
  return line.replace(MEANT, "\\$&");
}

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
