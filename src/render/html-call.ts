import { editOf } from "../format/edit-diff.ts";
import { pathArgument, toolDurationOf } from "../format/entry.ts";
import { isJsonObject, type JsonObject, type JsonValue, stringOrNull } from "../format/json.ts";
import { callText, imageBytes, type Part, partsOf } from "../format/transcript.ts";
import type { EntryNode } from "../store/tables/entry-nodes.ts";
import { formatBytes, formatDuration, plural } from "../text/numbers.ts";
import { cut } from "../text/width.ts";
import { type Colours, endingOf } from "./code-colours.ts";
import type { Cleaner } from "./exported-session.ts";
import { addressOf, codeBlock, type Html, html, NO_HTML } from "./html-text.ts";

/** What all entries of a page have in common. */
export interface Shown {
  clean: Cleaner;
  colours: Colours;
  timezone: string;
  /** Where entries stand on their branch, from 0; undefined where nobody asks. */
  places?: ReadonlyMap<EntryNode, number>;
}

/** The result of a tool, on its way to the page. */
export interface Answer {
  node: EntryNode;
  entry: JsonObject;
}

export type Call = Extract<Part, { kind: "call" }>;

/** Formats every browser shows and none runs anything from. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Characters. */
const MOST_ABOUT = 200;
/** Columns of a text in a fixed width. */
const MOST_BEGINNING = 100;
/** Of an argument whose value begins below it. */
const ONLY_A_NAME = /^(?:- )*\S+:$/;

/** A call as it was made. */
interface Made {
  /** Its name and what it is about, in one line. */
  head: Html;
  /** What is folded of it. */
  folded: Html[];
  /** How much it changes; empty where it does not say. */
  size: Html[];
}

/** What came of a call, or of a part of it. */
interface Came {
  /** All but pictures. */
  text: Html[];
  pictures: Html[];
  /** Of the text. */
  lines: number;
  /** The text where it is one short line, or there is none; else null. */
  line: string | null;
}

/**
 * A call and what came of it: a fold whose summary says what it was about and how it ended. A failure stands open, and
 * what is short stands in sight, as pictures do.
 */
export function callToHtml(call: Call, answers: readonly Answer[], shown: Shown): Html {
  const { head, folded, size } = madeOf(call, shown);
  const came = answers.map(({ node, entry }) => ({ node, ...cameOf(node, partsOf(entry), call, shown) }));
  const failed = answers.some(({ node }) => node.isError);
  const lines = came.reduce((sum, each) => sum + each.lines, 0);
  const isShort = folded.length === 0 && came.every(({ line }) => line !== null);
  const length = size.length > 0 || isShort || lines === 0 ? size : [html`${plural(lines, "line")}`];
  const facts = [
    ...(failed ? [html`<span class="error">failed</span>`] : []),
    ...length,
    ...durationOf(answers),
  ];
  const about = [
    head,
    ...facts.map((fact) => html`<small> · ${fact}</small>`),
    ...answers.map((each) => labelOf(each.node, shown)),
  ];
  if (isShort) return html`<p class="call">${about}</p>${came.map((each) => inSight(each, shown))}`;
  const inside = came.map(
    ({ node, text }) => html`<div class="result"${addressOf(node, shown.places)}>${text}</div>`,
  );
  const open = failed ? html` open` : NO_HTML;
  return html`<details class="call"${open}><summary>${about}</summary>${folded}${inside}</details>${came.flatMap(({ pictures }) => pictures)}`;
}

function inSight({ node, line, pictures }: Came & { node: EntryNode }, shown: Shown): Html {
  const text = line === null || line === "" ? NO_HTML : html`<code>${line}</code>`;
  return html`<div class="${node.isError ? "result error" : "result"}"${addressOf(node, shown.places)}>${text}${pictures}</div>`;
}

/** A result whose call stands elsewhere: as one line where it is short, else folded, unless it tells of a failure. */
export function resultToHtml(entry: JsonObject, node: EntryNode, shown: Shown): Html {
  const { text, pictures, lines, line } = cameOf(node, partsOf(entry), undefined, shown);
  const tool = node.tool === null ? "output" : shown.clean.text(node.tool);
  const what = html`${node.isError ? `${tool} failed` : tool}: `;
  const paint = node.isError ? "result error" : "result";
  if (line !== null)
    return html`<p class="${paint}">${line === "" ? tool : html`${what}<code>${line}</code>`}</p>${pictures}`;
  const open = node.isError ? html` open` : NO_HTML;
  return html`<details class="${paint}"${open}><summary>${what}${plural(lines, "line")}</summary>${text}</details>${pictures}`;
}

/** What a command of a person's has printed. */
export function outputToHtml(text: string, isError: boolean): Html {
  const line = lineOf(text);
  const paint = isError ? "result error" : "result";
  if (line !== null) return html`<p class="${paint}"><code>${line}</code></p>`;
  const open = isError ? html` open` : NO_HTML;
  return html`<details class="${paint}"${open}><summary>${plural(linesIn(text), "line")}</summary>${codeBlock(text.trimEnd())}</details>`;
}

export function labelOf({ label }: EntryNode, { clean }: Shown): Html {
  return label === null ? NO_HTML : html` <mark>${clean.text(label)}</mark>`;
}

export function imageToHtml(image: Extract<Part, { kind: "image" }>): Html {
  const { mimeType, data } = image;
  const bytes = formatBytes(imageBytes(image));
  if (!PICTURES.test(mimeType) || !BASE64.test(data))
    return html`<p class="note">[image, ${bytes}, not shown]</p>`;
  return html`<img src="data:${mimeType};base64,${data}" alt="Image, ${bytes}" loading="lazy" decoding="async">`;
}

/** What a call is about: in sight where it is short; else its beginning, and all of it folded. */
function madeOf({ name, args }: Call, { clean, colours }: Shown): Made {
  const edit = editOf(args);
  const written = edit === null ? writtenBy(args) : null;
  const { about, rest } = callText(edit?.args ?? written?.args ?? args);
  const [main, others] = about === "" ? [rest, ""] : [about, rest];
  const said = clean.text(main);
  const isShort = said.length <= MOST_ABOUT && !said.includes("\n");
  const inSight = isShort ? said : beginningOf(said);
  const head = html`<b>${clean.text(name)}</b>${inSight === "" ? NO_HTML : html` <code>${inSight}</code>`}`;
  const hidden = [isShort ? "" : said, clean.text(others)].filter(Boolean).join("\n\n");
  const folded = hidden === "" ? [] : [codeBlock(hidden)];
  if (edit !== null) {
    const diff = clean.text(edit.diff).split("\n");
    return { head, folded: [...folded, codeBlock(diff.map(changeToHtml))], size: sizeOf(diff) };
  }
  if (written === null) return { head, folded, size: [] };
  const text = clean.text(written.content);
  const code = codeBlock(colours.of(text, endingOf(written.path)));
  return { head, folded: [...folded, code], size: [html`${plural(linesIn(text), "line")}`] };
}

/** What a call writes into a file as a whole; null for any other call. */
function writtenBy(args: JsonValue): { args: JsonObject; path: string; content: string } | null {
  if (!isJsonObject(args)) return null;
  const { content, ...others } = args;
  const path = pathArgument(others);
  return path === null || typeof content !== "string" || content === ""
    ? null
    : { args: others, path, content };
}

/** A line with what became of it; the sign stays, for those who do not see the colour. */
function changeToHtml(line: string): Html {
  if (line.startsWith("+")) return html`<ins>${line}</ins>`;
  return line.startsWith("-") ? html`<del>${line}</del>` : html`<span>${line}</span>`;
}

function sizeOf(diff: readonly string[]): Html[] {
  const count = (sign: string): number => diff.filter((line) => line.startsWith(sign)).length;
  return [html`<ins>+${count("+")}</ins> <del>−${count("-")}</del>`];
}

/** The first line that says something. */
export function beginningOf(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const telling = lines.find((line) => line !== "" && !ONLY_A_NAME.test(line)) ?? "";
  // Measuring a long line takes long, and no more than this much of it can be in sight.
  return cut(telling.slice(0, 4 * MOST_BEGINNING), MOST_BEGINNING);
}

function cameOf(node: EntryNode, parts: readonly Part[], call: Call | undefined, shown: Shown): Came {
  const { clean, colours } = shown;
  const texts = parts.flatMap((part) => (part.kind === "output" ? [clean.text(part.text)] : []));
  const path =
    call !== undefined && /^read$/i.test(call.name) && isJsonObject(call.args)
      ? pathArgument(call.args)
      : null;
  const language = node.isError ? "" : endingOf(path ?? "");
  const others = parts.filter(({ kind }) => kind !== "output" && kind !== "image");
  const outputs = texts.map((text) =>
    codeBlock(colours.of(text.trimEnd(), language), node.isError ? "error" : ""),
  );
  return {
    text: [...others.map((part) => partOfResult(part, shown)), ...outputs],
    pictures: parts.flatMap((part) => (part.kind === "image" ? [imageToHtml(part)] : [])),
    lines: texts.reduce((sum, text) => sum + linesIn(text), 0),
    line: others.length === 0 && texts.length <= 1 ? lineOf(texts[0] ?? "") : null,
  };
}

/** Calls that the tool has made itself, and why they failed. */
function partOfResult(part: Part, shown: Shown): Html {
  if (part.kind === "call") return callToHtml(part, [], shown);
  const text = "text" in part ? (stringOrNull(part.text) ?? "") : "";
  return html`<p class="error">${shown.clean.text(text)}</p>`;
}

function linesIn(text: string): number {
  return text.trimEnd().split("\n").length;
}

/** Null where it is more than a short line. */
function lineOf(text: string): string | null {
  const line = text.trimEnd();
  return line.length <= MOST_ABOUT && !line.includes("\n") ? line : null;
}

function durationOf(answers: readonly Answer[]): Html[] {
  const known = answers.map(({ entry }) => toolDurationOf(entry)).filter((each) => each !== null);
  return known.length === 0 ? [] : [html`${formatDuration(known.reduce((sum, each) => sum + each, 0))}`];
}
