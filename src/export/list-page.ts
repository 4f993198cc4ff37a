import { createHash } from "node:crypto";
import type { Cleaner } from "../render/exported-session.ts";
import { anchorOf, directed, type Html, html, NO_HTML } from "../render/html-text.ts";
import type { Prompt } from "../reports/prompts.ts";
import { formatCount, plural } from "../text/numbers.ts";
import { LIST_SCRIPT, LIST_STYLE } from "./list-style.ts";
import { stampLine } from "./pages.ts";

const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(LIST_STYLE)}`,
  `script-src ${hashOf(LIST_SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Rows of one list; a longer one is several. */
const MOST_ROWS = 10_000;
/** Prompts that a list has of one session. */
const MOST_PROMPTS = 200;

/** A session in the list. Its texts are clean. */
export interface ListedPage {
  /** Null where it has no page. */
  file: string | null;
  fileId: number;
  title: string;
  project: string;
  time: string;
  messages: string;
  cost: string;
  models: string;
  subagents: readonly ListedPage[];
}

interface Lists {
  clean: Cleaner;
  promptsOf: (fileId: number) => readonly Prompt[];
}

/** The list of a folder's pages: names of files, and what each holds, piece by piece. */
export function listPagesOf(
  rows: readonly ListedPage[],
  lists: Lists,
): { file: string; pieces: Iterable<string> }[] {
  const parts = partsOf(rows);
  const all = rows.flatMap((row) => [row, ...row.subagents]).length;
  const told = [
    plural(all, "session"),
    all > rows.length ? `${formatCount(all - rows.length)} of sub-agents` : "",
  ];
  const head = told.filter(Boolean).join(", ");
  return parts.map((part, at) => ({
    file: listName(at),
    pieces: piecesOf(part, { ...lists, head, at, count: parts.length }),
  }));
}

/** The name of a part of the list, from 0. */
function listName(at: number): string {
  return at === 0 ? "index.html" : `index-${at + 1}.html`;
}

/** Whether a file of a folder is called as a part of its list is. */
export function isListName(name: string): boolean {
  return /^index(?:-\d+)?\.html$/.test(name);
}

/** Families are not parted. */
function partsOf(rows: readonly ListedPage[]): ListedPage[][] {
  const parts: ListedPage[][] = [[]];
  let size = 0;
  for (const row of rows) {
    const own = 1 + row.subagents.length;
    if (size > 0 && size + own > MOST_ROWS) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(row);
    size += own;
  }
  return parts;
}

function* piecesOf(
  rows: readonly ListedPage[],
  lists: Lists & { head: string; at: number; count: number },
): Generator<string> {
  const { head, at, count } = lists;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${stampLine("list")}<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sessions</title>
<style>${LIST_STYLE}</style>
</head>
<body class="transcript list">
<header>
<h1>Sessions</h1>
<p class="where">${head}</p>
<div class="find" role="search" hidden><label>Titles and prompts <input type="search" autocomplete="off" spellcheck="false"></label><output></output></div>
</header>
<main>
`;
  const pages = Array.from({ length: count }, (_, other) =>
    other === at ? html` <b>${other + 1}</b>` : html` <a href="${listName(other)}">${other + 1}</a>`,
  );
  if (count > 1) yield html`<p class="pages">Page${pages}</p>\n`.source;
  yield `<ol class="sessions">\n`;
  for (const row of rows) yield rowToHtml(row, lists).source;
  yield `</ol>\n</main>\n<script>${LIST_SCRIPT}</script>\n</body>\n</html>\n`;
}

function rowToHtml(row: ListedPage, lists: Lists): Html {
  const { file, title, project, time, messages, cost, models, subagents } = row;
  const name = file === null ? html`${title}` : html`<a href="${file}">${title}</a>`;
  const figures = [time, messages, cost].map((fact) => html`<span class="figure">${fact}</span>`);
  const members = subagents.map((each) => rowToHtml(each, lists));
  const family = members.length === 0 ? NO_HTML : html`<ol>\n${members}</ol>`;
  return html`<li class="session"><div class="facts"><b${directed(title)}>${name}</b><span>${project}</span>${figures}<span>${models}</span></div>${promptsToHtml(row, lists)}${family}</li>\n`;
}

function promptsToHtml({ file, fileId }: ListedPage, { clean, promptsOf }: Lists): Html {
  const prompts = promptsOf(fileId);
  if (prompts.length === 0 || file === null) return NO_HTML;
  const items = prompts.slice(0, MOST_PROMPTS).map((prompt) => {
    const said = clean.preview(prompt.preview) || "(no text)";
    return html`<li><a href="${file}#${anchorOf(prompt)}"${directed(said)}>${said}</a></li>\n`;
  });
  const more = prompts.length - items.length;
  const rest = more > 0 ? html`<p>${formatCount(more)} more</p>\n` : NO_HTML;
  return html`<details class="prompts"><summary>${plural(prompts.length, "prompt")}</summary><ol>\n${items}</ol>${rest}</details>`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
