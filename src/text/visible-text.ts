import { BIDI_CONTROLS, CONTROL_SEQUENCE, OTHER_ESCAPE, STRING_SEQUENCE } from "./sanitise.ts";

/** All but tabs and line ends. */
const CONTROLS = String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f`;
const CONTROL = `[${CONTROLS}]`;
const LONE_RETURN = String.raw`\r(?!\n)`;
const INVISIBLES = String.raw`\u00ad\u034f\u180b-\u180f\u200b-\u200d\u2060-\u206f\ufe00-\ufe0f\ufeff${BIDI_CONTROLS}`;
const INVISIBLE = `[${INVISIBLES}]`;
/** Those of colours, behind U+009B, as in the source of a program, or of which ESC was lost. */
const OTHERWISE_WRITTEN = String.raw`(?:\u009b|\\{1,4}(?:u00[19][bB]|x[19][bB]|0?33|e)\[|\[(?=\d))[\d;:]{0,40}[mK]`;
const CHARSET = String.raw`\u001b[ -/]+[0-~]`;

const all = (...sources: string[]) => new RegExp(sources.join("|"), "g");
/** With what they carry: names of windows, addresses of links. */
const HIDDEN = all(
  OTHERWISE_WRITTEN,
  STRING_SEQUENCE,
  CONTROL_SEQUENCE,
  OTHER_ESCAPE,
  CONTROL,
  LONE_RETURN,
  INVISIBLE,
);
/** Without what they carry, and without the letter behind an ESC, which may belong to what follows. */
const BETWEEN = all(OTHERWISE_WRITTEN, CONTROL_SEQUENCE, CHARSET, CONTROL, LONE_RETURN, INVISIBLE);

const COLOUR = String.raw`(?:[bBe3]\[|\[\d)[\d;:]{0,40}[mK]`;
const HIDING = [CONTROL, INVISIBLE, COLOUR].map((source) => new RegExp(source));
/**
 * One of the characters, or the end of a colour: one pass for what almost no text has takes half the time of three. To pass
 * over what is plain first, by a few ranges, takes a third less again.
 */
const SUSPICIOUS = new RegExp(`[^ -Z\\\\-~](?:(?<=[${CONTROLS}${INVISIBLES}])|(?<=\\[)[\\d;:]{0,41}[mK])`);
const RETURN = new RegExp(LONE_RETURN);

/** Whether a text holds anything that is not seen where it is shown: colours, marks without width. */
export function hidesSomething(text: string): boolean {
  if (text.includes("\r") && RETURN.test(text)) return true;
  return SUSPICIOUS.test(text) && HIDING.some((each) => each.test(text));
}

/** A text as it is seen where it is shown, and where in the whole one that stands. */
export class VisibleText {
  readonly text: string;
  /** Where each piece of the whole text begins in what is seen, and in the whole one. */
  readonly #seenAt: number[] = [];
  readonly #wholeAt: number[] = [];

  constructor(whole: string) {
    let seen = "";
    let at = 0;
    const add = (end: number): void => {
      if (end === at) return;
      this.#seenAt.push(seen.length);
      this.#wholeAt.push(at);
      seen += whole.slice(at, end);
    };
    for (const { 0: hidden, index } of whole.matchAll(HIDDEN)) {
      add(index);
      at = index + hidden.length;
    }
    add(whole.length);
    this.text = seen;
  }

  /** The place in the whole text of the character at a place of what is seen. */
  wholePlace(place: number): number {
    let [low, high] = [0, this.#seenAt.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#seenAt[middle] ?? 0) <= place) low = middle;
      else high = middle;
    }
    return (this.#wholeAt[low] ?? 0) + place - (this.#seenAt[low] ?? 0);
  }
}

/** The text with spaces for what is not seen, so that a word ends there; it is as long as it was. */
export function withSpaces(text: string): string {
  return text.replace(BETWEEN, ({ length }) => " ".repeat(length));
}
