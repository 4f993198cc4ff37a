import { tildePath } from "../../file/paths.ts";
import { isFailedResult } from "../../format/entry.ts";
import { callText, imageBytes, type Part, partsOf, speakerOf } from "../../format/transcript.ts";
import { usageOf } from "../../format/usage.ts";
import { readBody } from "../../store/tables/entry-bodies.ts";
import type { EntryNode } from "../../store/tables/entry-nodes.ts";
import { formatBytes, formatMoney, plural } from "../../text/numbers.ts";
import { formatMoment } from "../../time/calendar.ts";
import { closedMarkdown } from "./closed-markdown.ts";
import { escapedMarkdown } from "./escaped-markdown.ts";
import { type Cleaner, type Exported, missing } from "./exported.ts";
import { factsOf } from "./facts.ts";
import { loweredHeadings } from "./lowered-headings.ts";

/** One branch of a session for a Markdown reader: what was said as it was written, tool calls and output in fences. */
export function* markdownOf(exported: Exported): Generator<string> {
  const { session, nodes, branch, clean, timezone, home } = exported;
  yield `# ${escapedMarkdown(flat(clean.title(session)))}\n\n`;
  yield `- Project: ${code(flat(clean.text(tildePath(session.cwd, home))))}\n`;
  for (const [name, value] of factsOf(exported)) yield `- ${name}: ${line(clean, value)}\n`;
  const shown = branch === undefined ? nodes.pathTo(nodes.leaf) : nodes.branchThrough(branch);
  for (const node of shown) yield* entryOf(node, clean, timezone);
  const others = session.branchCount - 1;
  if (others > 0) yield `\n---\n\n*${plural(others, "other branch", "other branches")} not shown.*\n`;
}

function* entryOf(node: EntryNode, clean: Cleaner, timezone: string): Generator<string> {
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
  const heading = line(clean, speakerOf(entry));
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
  const { about, rest } = callText(args);
  const shown = trimmed(clean.text(about));
  const isBeside = shown !== "" && !shown.includes("\n");
  const head = `**${line(clean, name)}**${isBeside ? ` ${code(shown)}` : ""}`;
  const below = [isBeside ? "" : shown, clean.text(rest)].filter(Boolean).map(fence);
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

function fence(text: string): string {
  const ticks = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}\n${text.replace(/(?<!\n)\n+$/, "")}\n${ticks}`;
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
