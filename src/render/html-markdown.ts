import MarkdownIt from "markdown-it";
import { Colours } from "./code-colours.ts";
import { codeBlock, type Direction, directionOf, Html, html } from "./html-text.ts";

/** Longer texts are set as they are: nobody wrote them as Markdown, and parsing them would take long. */
const LONGEST = 200_000;

/** Items and cells go with their list and table. */
const DIRECTED = new Set(["paragraph", "heading", "bullet_list", "ordered_list", "blockquote", "table"]);

/**
 * Markdown of a transcript as HTML. HTML in it is text, links lead to http and https only, images are links
 * (a picture from elsewhere would tell its owner that the page was opened).
 */
export function markdownToHtml(text: string, colours: Colours): Html {
  if (text.length > LONGEST) return codeBlock(text);
  return new Html(markdown().render(text, { colours }));
}

type Markdown = InstanceType<typeof MarkdownIt>;
type Token = ReturnType<Markdown["parse"]>[number];

let made: Markdown | undefined;

function markdown(): Markdown {
  made ??= makeMarkdown();
  return made;
}

function makeMarkdown(): Markdown {
  const it = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: true });
  it.validateLink = isHarmlessLink;
  it.disable("image");
  it.core.ruler.push("page", ({ tokens }) => fitIntoPage(tokens));
  it.core.ruler.push("direction", ({ tokens }) => directBlocks(tokens));
  it.renderer.rules.fence = codeOf;
  it.renderer.rules.code_block = codeOf;
  // Scrolls where it is wider than the screen, by keyboard, too.
  it.renderer.rules.table_open = (tokens, index, options, _env, self) =>
    `<div class="wide" tabindex="0" role="group">${self.renderToken(tokens, index, options)}`;
  it.renderer.rules.table_close = () => "</table></div>\n";
  it.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet("rel", "noopener noreferrer nofollow");
    return self.renderToken(tokens, index, options);
  };
  return it;
}

/** A fence says of which language it is in its first word. */
const codeOf: NonNullable<Markdown["renderer"]["rules"][string]> = (tokens, index, _options, env) => {
  const { content = "", info = "" } = tokens[index] ?? {};
  const [language = ""] = info.trim().split(/[\s{,:]/, 1);
  const code = env?.colours instanceof Colours ? env.colours.of(content, language) : html`${content}`;
  return `${codeBlock(html`<code>${code}</code>`).source}\n`;
};

/**
 * Headings of a text stand below that of its entry, none more than a level below the one before; a column is aligned by
 * a class, as the page's policy forbids styles.
 */
function fitIntoPage(tokens: readonly Token[]): void {
  const above: number[] = [];
  for (const token of tokens) {
    if (token.type === "heading_open") {
      const level = Number(token.tag.slice(1));
      while ((above.at(-1) ?? 0) >= level) above.pop();
      above.push(level);
    }
    if (token.type.startsWith("heading_")) token.tag = `h${Math.min(6, above.length + 2)}`;
    const [, side] = /:(left|center|right)/.exec(String(token.attrGet("style"))) ?? [];
    if (side !== undefined) token.attrs = side === "left" ? null : [["class", side]];
  }
}

interface Block {
  opening: Token;
  /** Not known before the first letter. */
  direction: Direction | null;
}

/** Each block is written the way its first letter is that stands in no code; the page is written from left to right. */
function directBlocks(tokens: readonly Token[]): void {
  const around: Block[] = [];
  for (const token of tokens) {
    const isBlock = DIRECTED.has(token.type.replace(/_(?:open|close)$/, ""));
    if (isBlock && token.nesting === 1) around.push({ opening: token, direction: null });
    else if (isBlock) around.pop();
    else if (token.type === "inline") directAll(around, directionWithin(token));
  }
}

/** From the outermost block inwards: one that is written as the one around it needs no word of it. */
function directAll(around: readonly Block[], direction: Direction | null): void {
  let outer: Direction | null = "ltr";
  for (const block of around) {
    if (block.direction === null && direction !== null) {
      block.direction = direction;
      if (direction !== outer) block.opening.attrSet("dir", direction);
    }
    outer = block.direction;
  }
}

function directionWithin({ children }: Token): Direction | null {
  for (const { type, content } of children ?? []) {
    const direction = type === "text" ? directionOf(content) : null;
    if (direction !== null) return direction;
  }
  return null;
}

function isHarmlessLink(url: string): boolean {
  return /^https?:\/\//i.test(url.trim());
}
