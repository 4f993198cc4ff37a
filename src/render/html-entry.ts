import { editOf } from "../format/edit-diff.ts";
import type { JsonObject } from "../format/json.ts";
import { speakerOf } from "../format/speaker.ts";
import { callText, imageBytes, type Part, partsOf } from "../format/transcript.ts";
import { usageOf } from "../format/usage.ts";
import type { EntryNode } from "../store/tables/entry-nodes.ts";
import { formatBytes, formatMoney, plural } from "../text/numbers.ts";
import { cut } from "../text/width.ts";
import { formatMoment } from "../time/calendar.ts";
import { type Cleaner, missing } from "./exported-session.ts";
import { markdownToHtml } from "./html-markdown.ts";
import { anchorOf, directed, type Html, html, NO_HTML } from "./html-text.ts";

/** An entry on its way to the page. */
export interface ShownEntry {
  node: EntryNode;
  clean: Cleaner;
  timezone: string;
}

/** Formats every browser shows and none runs anything from. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Characters. */
const MOST_ABOUT = 200;
/** Columns of a text in a fixed width. */
const MOST_BEGINNING = 100;
/** Of an argument whose value begins below it. */
const ONLY_A_NAME = /^(?:- )*\S+:$/;

/** One entry of the page; nothing for entries that show nothing. `entry` is null where the file no longer holds it. */
export function entryToHtml(subject: ShownEntry, entry: JsonObject | null): Html {
  const { node, clean } = subject;
  if (entry === null) {
    return html`<p class="note error" id="${anchorOf(node)}">${missing(node)}</p>\n`;
  }
  const parts = partsOf(entry);
  const [first] = parts;
  if (first === undefined) return NO_HTML;
  if (first.kind === "note") {
    return html`<p class="note" id="${anchorOf(node)}">${clean.text(first.text)}${labelOf(subject)}</p>\n`;
  }
  const body = parts.map((part) => partToHtml(part, subject));
  if (node.role === "toolResult") {
    return html`<section id="${anchorOf(node)}">${labelOf(subject)}${body}</section>\n`;
  }
  const kind = node.role === "user" || node.role === "assistant" ? node.role : "other";
  return html`<article class="${kind}" id="${anchorOf(node)}">${headOf(subject, entry)}${body}</article>\n`;
}

function headOf(subject: ShownEntry, entry: JsonObject): Html {
  const { node, clean, timezone } = subject;
  const usage = usageOf(entry);
  const facts = [
    clean.text(usage?.model ?? ""),
    usage === null || usage.cost === 0 ? "" : formatMoney(usage.cost),
  ];
  const shown = facts.filter(Boolean).map((fact) => html`<span>${fact}</span>`);
  return html`<h2 class="head"><b>${clean.text(speakerOf(node))}</b>${timeOf(node, timezone)}${shown}${labelOf(subject)}<a href="#${anchorOf(node)}">#${node.line}</a></h2>`;
}

function timeOf({ timestamp }: EntryNode, timezone: string): Html {
  if (timestamp === null) return NO_HTML;
  return html`<time datetime="${new Date(timestamp).toISOString()}">${formatMoment(timestamp, timezone)}</time>`;
}

function labelOf({ node, clean }: ShownEntry): Html {
  return node.label === null ? NO_HTML : html` <mark>${clean.text(node.label)}</mark>`;
}

function partToHtml(part: Part, { node, clean }: ShownEntry): Html {
  switch (part.kind) {
    case "text":
      return html`<div class="text">${markdownToHtml(clean.text(part.text))}</div>`;
    case "thinking":
      return thinkingToHtml(clean.text(part.text));
    case "call":
      return callToHtml(part, clean);
    case "output":
      return outputToHtml(clean.text(part.text), node, clean);
    case "error":
      return html`<p class="error">${clean.text(part.text)}</p>`;
    case "note":
      return html`<p class="note">${clean.text(part.text)}</p>`;
    case "image":
      return imageToHtml(part);
  }
}

function thinkingToHtml(text: string): Html {
  return html`<details class="thinking"><summary>Thinking</summary><pre class="wrap"${directed(text)}>${text}</pre></details>`;
}

/** What a call is about: in sight where it is short; else its beginning, and all of it folded. */
function callToHtml({ name, args }: Extract<Part, { kind: "call" }>, clean: Cleaner): Html {
  const edit = editOf(args);
  const { about, rest } = callText(edit?.args ?? args);
  const [main, others] = about === "" ? [rest, ""] : [about, rest];
  const shown = clean.text(main);
  const isShort = shown.length <= MOST_ABOUT && !shown.includes("\n");
  const inSight = isShort ? shown : beginningOf(shown);
  const head = html`<b>${clean.text(name)}</b>${inSight === "" ? NO_HTML : html` <code>${inSight}</code>`}`;
  const folded = [isShort ? "" : shown, clean.text(others)].filter(Boolean).join("\n\n");
  if (edit !== null) {
    const others = folded === "" ? NO_HTML : html`<pre>${folded}</pre>`;
    return html`<details class="call"><summary>${head}</summary>${others}<pre>${diffToHtml(clean.text(edit.diff))}</pre></details>`;
  }
  if (folded === "") return html`<p class="call">${head}</p>`;
  return html`<details class="call"><summary>${head}</summary><pre>${folded}</pre></details>`;
}

/** Each line with what became of it; the sign stays, for those who do not see the colour. */
function diffToHtml(diff: string): Html[] {
  return diff.split("\n").map((line) => {
    if (line.startsWith("+")) return html`<ins>${line}</ins>`;
    return line.startsWith("-") ? html`<del>${line}</del>` : html`<span>${line}</span>`;
  });
}

/** The first line that says something. */
function beginningOf(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const telling = lines.find((line) => line !== "" && !ONLY_A_NAME.test(line)) ?? "";
  // Measuring a long line takes long, and no more than this much of it can be in sight.
  return cut(telling.slice(0, 4 * MOST_BEGINNING), MOST_BEGINNING);
}

/** Of one line: in sight. More: folded, unless it tells of a failure. */
function outputToHtml(text: string, node: EntryNode, clean: Cleaner): Html {
  const lines = text.trimEnd().split("\n");
  const tool = node.tool === null ? "output" : clean.text(node.tool);
  // A command of the user's has its exit code below.
  const what = node.isError && node.role === "toolResult" ? `${tool} failed` : tool;
  const [only = ""] = lines;
  const paint = node.isError ? "result error" : "result";
  if (lines.length === 1 && only.length <= MOST_ABOUT)
    return html`<p class="${paint}">${what}: <code>${only}</code></p>`;
  const summary = html`<summary>${what}: ${plural(lines.length, "line")}</summary><pre>${text.trimEnd()}</pre>`;
  if (node.isError) return html`<details class="${paint}" open>${summary}</details>`;
  return html`<details class="${paint}">${summary}</details>`;
}

function imageToHtml(image: Extract<Part, { kind: "image" }>): Html {
  const { mimeType, data } = image;
  const bytes = formatBytes(imageBytes(image));
  if (!PICTURES.test(mimeType) || !BASE64.test(data))
    return html`<p class="note">[image, ${bytes}, not shown]</p>`;
  return html`<img src="data:${mimeType};base64,${data}" alt="Image, ${bytes}" loading="lazy" decoding="async">`;
}
