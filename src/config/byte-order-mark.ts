/** The text of a file without the byte-order mark that some editors put at its beginning. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
