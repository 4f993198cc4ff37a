import type { OutlineItem } from "../../../reports/read-conversation.ts";

/** How many lines a folded part of an outline has; one of up to twice as many is not folded. */
const LINES = 200;

export interface NumberedItem {
  item: OutlineItem;
  /** Of the prompt, or of the one before, from 1 on. */
  number: number;
}

/** The lines of an outline, in parts of which a few are drawn: thousands of prompts are tens of thousands of elements. */
export function outlineRanges(items: readonly OutlineItem[]): NumberedItem[][] {
  let prompts = 0;
  const numbered = items.map((item) => ({ item, number: item.kind === "prompt" ? ++prompts : prompts }));
  if (numbered.length <= 2 * LINES) return [numbered];
  const count = Math.ceil(numbered.length / LINES);
  return Array.from({ length: count }, (_, at) => numbered.slice(at * LINES, (at + 1) * LINES));
}
