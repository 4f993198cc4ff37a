/** What a person has written, without the byte-order mark with which some editors begin a file. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
