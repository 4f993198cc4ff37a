import MarkdownIt from "markdown-it";
import { Html, html } from "./html-text.ts";

/** Longer texts are set as they are: nobody wrote them as Markdown, and parsing them would take long. */
const LONGEST = 200_000;

/**
 * Markdown of a transcript as HTML. HTML in it is text, links lead to http and https only, images are links
 * (a picture from elsewhere would tell its owner that the page was opened).
 */
export function markdownToHtml(text: string): Html {
  if (text.length > LONGEST) return html`<pre>${text}</pre>`;
  return new Html(markdown().render(text));
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
  it.core.ruler.push("page", ({ tokens }) => tokens.forEach(fitIntoPage));
  it.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet("rel", "noopener noreferrer nofollow");
    return self.renderToken(tokens, index, options);
  };
  return it;
}

/** A heading of a text stands below that of its entry; a column is aligned by a class, as the page's policy forbids styles. */
function fitIntoPage(token: Token): void {
  if (token.type.startsWith("heading_")) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`;
  const [, side] = /:(left|center|right)/.exec(String(token.attrGet("style"))) ?? [];
  if (side !== undefined) token.attrs = side === "left" ? null : [["class", side]];
}

function isHarmlessLink(url: string): boolean {
  return /^https?:\/\//i.test(url.trim());
}
