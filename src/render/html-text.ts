import type { EntryNode } from "../store/tables/entry-nodes.ts";

/**
 * HTML that is known to be safe. Text gets into it only through `html`, which escapes it: in an element, or in an
 * attribute in double quotes. Nowhere else does a template of ours take text.
 */
export class Html {
  readonly source: string;

  /** Only for markup written by us; text goes through `html`. */
  constructor(source: string) {
    this.source = source;
  }
}

type Value = Html | string | number | readonly Html[];

/** A piece of HTML with values in it: text escaped, other HTML as it is. */
export function html(pieces: TemplateStringsArray, ...values: readonly Value[]): Html {
  const source = pieces.reduce((all, piece, index) => all + sourceOf(values[index - 1] ?? "") + piece);
  return new Html(source);
}

export const NO_HTML = new Html("");

function sourceOf(value: Value): string {
  if (value instanceof Html) return value.source;
  if (typeof value === "object") return value.map((each) => each.source).join("");
  return escapeHtml(String(value));
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

export type Direction = "ltr" | "rtl";

const LETTER = /\p{L}/u;
/** Where Unicode has its scripts that are written from right to left, and the presentation forms of their letters. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Which way a text is written, as its first letter says; null where it has none. */
export function directionOf(text: string): Direction | null {
  const [letter] = LETTER.exec(text) ?? [];
  if (letter === undefined) return null;
  return RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
}

/** The attribute of an element with this text, unless it is written from left to right, as the page is. */
export function directed(text: string): Html {
  return directionOf(text) === "rtl" ? html` dir="rtl"` : NO_HTML;
}

/** Text in a fixed width, line by line. What is too wide or high scrolls, by keyboard, too. */
export function codeBlock(text: string | Html | readonly Html[], paint = ""): Html {
  const painted = paint === "" ? NO_HTML : html` class="${paint}"`;
  return html`<pre${painted} tabindex="0" role="group">${text}</pre>`;
}

/** What an entry is linked to by within a page: where its handle says that it stands. */
export function anchorOf(node: Pick<EntryNode, "line" | "place">): string {
  return `L${handlePlaceOf(node)}`;
}

/** What an entry's element is found by: its address, and its place on the branch where the page goes by places. */
export function addressOf(node: EntryNode, places: ReadonlyMap<EntryNode, number> | undefined): Html {
  const place = places?.get(node);
  return html` id="${anchorOf(node)}"${place === undefined ? NO_HTML : html` data-place="${place}"`}`;
}

/** The part of its handle behind the colon: `16`, or `16.2` where several entries stand in the line. */
export function handlePlaceOf({ line, place }: Pick<EntryNode, "line" | "place">): string {
  return place === undefined ? String(line) : `${line}.${place}`;
}
