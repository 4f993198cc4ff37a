import MarkdownIt from "markdown-it";

/** Tells the blocks of Markdown; what is inside of them does not matter here. */
export const blocks = new MarkdownIt({ html: true }).disable("inline");
