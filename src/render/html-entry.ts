import type { JsonObject } from "../format/json.ts";
import { speakerOf } from "../format/speaker.ts";
import { type Part, partsOf } from "../format/transcript.ts";
import { usageOf } from "../format/usage.ts";
import type { EntryNode } from "../store/tables/entry-nodes.ts";
import { formatMoney } from "../text/numbers.ts";
import { formatMoment } from "../time/calendar.ts";
import { missing } from "./exported-session.ts";
import {
  type Answer,
  beginningOf,
  callToHtml,
  imageToHtml,
  labelOf,
  outputToHtml,
  resultToHtml,
  type Shown,
} from "./html-call.ts";
import { markdownToHtml } from "./html-markdown.ts";
import { addressOf, anchorOf, directed, type Html, handlePlaceOf, html, NO_HTML } from "./html-text.ts";

/** An entry on its way to the page. */
export interface ShownEntry extends Shown {
  node: EntryNode;
}

/**
 * One entry of the page, with what answers its calls, by their ids; nothing for entries that show nothing. `entry` is
 * null where the file no longer holds it.
 */
export function entryToHtml(
  subject: ShownEntry,
  entry: JsonObject | null,
  answers: ReadonlyMap<string, readonly Answer[]>,
): Html {
  const { node, clean } = subject;
  const id = addressOf(node, subject.places);
  if (entry === null) return html`<p class="note error"${id}>${missing(node)}</p>\n`;
  const parts = partsOf(entry);
  const [first] = parts;
  const label = labelOf(node, subject);
  if (node.role === "toolResult") {
    return html`<section${id}>${label}${resultToHtml(entry, node, subject)}</section>\n`;
  }
  if (first === undefined) return NO_HTML;
  if (first.kind === "note") return html`<p class="note"${id}>${clean.text(first.text)}${label}</p>\n`;
  const left = new Map(answers);
  const body = parts.map((part) => partToHtml(part, left, subject));
  const kind = node.role === "user" || node.role === "assistant" ? node.role : "other";
  return html`<article class="${kind}"${id}>${headOf(subject, entry)}${body}</article>\n`;
}

function headOf(subject: ShownEntry, entry: JsonObject): Html {
  const { node, clean, timezone } = subject;
  const usage = usageOf(entry);
  const facts = [
    clean.text(usage?.model ?? ""),
    usage === null || usage.cost === 0 ? "" : formatMoney(usage.cost),
  ];
  const shown = facts.filter(Boolean).map((fact) => html`<span>${fact}</span>`);
  return html`<h2 class="head"><b>${clean.text(speakerOf(node))}</b>${timeOf(node, timezone)}${shown}${labelOf(node, subject)}<a href="#${anchorOf(node)}">:${handlePlaceOf(node)}</a></h2>`;
}

function timeOf({ timestamp }: EntryNode, timezone: string): Html {
  if (timestamp === null) return NO_HTML;
  return html`<time datetime="${new Date(timestamp).toISOString()}">${formatMoment(timestamp, timezone)}</time>`;
}

/** Of several calls with one id the first takes what answers it, out of `answers`. */
function partToHtml(part: Part, answers: Map<string, readonly Answer[]>, subject: ShownEntry): Html {
  const { node, clean, colours } = subject;
  switch (part.kind) {
    case "text":
      return html`<div class="text">${markdownToHtml(clean.text(part.text), colours)}</div>`;
    case "thinking":
      return thinkingToHtml(clean.text(part.text));
    case "call": {
      const mine = answers.get(part.id ?? "") ?? [];
      answers.delete(part.id ?? "");
      return callToHtml(part, mine, subject);
    }
    case "output":
      return outputToHtml(clean.text(part.text), node.isError);
    case "error":
      return html`<p class="error">${clean.text(part.text)}</p>`;
    case "note":
      return html`<p class="note">${clean.text(part.text)}</p>`;
    case "image":
      return imageToHtml(part);
  }
}

/** Folded; its beginning is in sight. */
function thinkingToHtml(text: string): Html {
  const beginning = beginningOf(text);
  const said = beginning === "" ? NO_HTML : html` <bdi>${beginning}</bdi>`;
  return html`<details class="thinking"><summary>Thinking${said}</summary><pre class="wrap" tabindex="0" role="group"${directed(text)}>${text}</pre></details>`;
}
