const LETTER = String.raw`[\p{L}\p{N}]`;

/**
 * What Markdown reads as more than a character: an underscore only beside a word, an ampersand only before the name of
 * a character, number signs only where they could close a heading.
 */
const MEANT = new RegExp(
  String.raw`[\\\x60*<[\]~|]|(?<!${LETTER})_|_(?!${LETTER})|&(?=#?\w+;)|(?<!\S)#+$`,
  "gu",
);

/** One line of text as Markdown that shows it as it is. */
export function escapedMarkdown(line: string): string {
  return line.replace(MEANT, "\\$&");
}
