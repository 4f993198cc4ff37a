import { KIND, type LineTape } from "./line-tape.ts";

/** How many texts are kept: a power of two. */
const KEPT = 256;
/** In bytes: longer texts hardly ever repeat. */
const LONGEST = 64;

/**
 * Strings for texts that come again and again, such as roles, models and names of tools: each is made once and then
 * recognised by its bytes, which takes a third of the time of making it and leaves nothing to be collected.
 */
export class RepeatedTexts {
  /** By slot: the last text whose bytes led there. */
  readonly #kept: string[] = new Array(KEPT).fill("");

  at(tape: LineTape, place: number): string {
    const line = tape.line;
    const start = tape.startAt(place);
    const length = tape.endAt(place) - start;
    if (length > LONGEST || tape.kindAt(place) !== KIND.text) return tape.textAt(place);
    const slot = slotOf(line, start, length);
    const kept = this.#kept[slot] ?? "";
    if (stands(kept, line, start, length)) return kept;
    const text = tape.textAt(place);
    // Only ASCII is kept: other texts have fewer characters than bytes.
    if (text.length === length) this.#kept[slot] = text;
    return text;
  }
}

/** The slot for a text, by its length and three of its bytes. */
function slotOf(line: Buffer, start: number, length: number): number {
  const first = line[start] ?? 0;
  const middle = line[start + (length >> 1)] ?? 0;
  const last = line[start + length - 1] ?? 0;
  return (length * 7 + first * 31 + middle * 5 + last * 17) & (KEPT - 1);
}

/** Whether the bytes, which have no escapes, are those of a text. Invalid ones, which became U+FFFD, never are. */
function stands(text: string, line: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at++) if (text.charCodeAt(at) !== line[start + at]) return false;
  return true;
}
