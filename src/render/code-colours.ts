import highlighter from "highlight.js/lib/common";
import { Html, html } from "./html-text.ts";

/** Characters of a block: colouring reads half a million a second. */
const LONGEST = 20_000;
/** Characters of all blocks of a page, so that a long session is not kept waiting; blocks after that are plain. */
const MOST_OF_A_PAGE = 200_000;
/** Milliseconds of a page: an expression that takes very long for one block would for the next one, too. */
const MOST_PATIENCE = 3000;

highlighter.configure({ classPrefix: "c-" });

/** Colours the code of one page, by classes: its policy forbids styles. */
export class Colours {
  #left = MOST_OF_A_PAGE;
  #spent = 0;
  readonly #steady: () => number;

  /** `steady` is a clock that never goes back, in milliseconds. */
  constructor(steady = () => performance.now()) {
    this.#steady = steady;
  }

  /** As it is where `language` (a name, or the ending of a file) is unknown, and where colouring would take long. */
  of(code: string, language: string): Html {
    const isKnown = language !== "" && highlighter.getLanguage(language) !== undefined;
    const isTooMuch = code.length > Math.min(LONGEST, this.#left) || this.#spent > MOST_PATIENCE;
    if (!isKnown || isTooMuch) return html`${code}`;
    this.#left -= code.length;
    const start = this.#steady();
    const { value } = highlighter.highlight(code, { language, ignoreIllegals: true });
    this.#spent += this.#steady() - start;
    return new Html(value);
  }
}

/** The ending of a file's name, without the dot; empty where it has none. */
export function endingOf(path: string): string {
  return /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}
