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

let made: Markdown | undefined;

function markdown(): Markdown {
  made ??= makeMarkdown();
  return made;
}

function makeMarkdown(): Markdown {
  const it = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: true });
  it.validateLink = isHarmlessLink;
  it.disable("image");
  it.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet("rel", "noopener noreferrer nofollow");
    return self.renderToken(tokens, index, options);
  };
  // Columns are aligned by a style attribute, which the page's own policy forbids.
  for (const rule of ["th_open", "td_open"] as const) {
    it.renderer.rules[rule] = (tokens, index) => {
      const [, side] = /:(center|right)/.exec(String(tokens[index]?.attrGet("style"))) ?? [];
      return `<${rule.slice(0, 2)}${side === undefined ? "" : ` class="${side}"`}>`;
    };
  }
  return it;
}

function isHarmlessLink(url: string): boolean {
  return /^https?:\/\//i.test(url.trim());
}
