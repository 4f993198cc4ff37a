/**
 * HTML that is known to be safe. Text gets into it only through `html`, which escapes it: in an element, or in an
 * attribute in double quotes. Nowhere else does a template of ours take text.
 */
export class Html {
  readonly source: string;

  /** Only for markup written by us; text goes through `html`. */
  constructor(source: string) {
    this.source = source;
  }
}

type Value = Html | string | number | readonly Html[];

/** A piece of HTML with values in it: text escaped, other HTML as it is. */
export function html(pieces: TemplateStringsArray, ...values: readonly Value[]): Html {
  const source = pieces.reduce((all, piece, index) => all + sourceOf(values[index - 1] ?? "") + piece);
  return new Html(source);
}

export const NOTHING = new Html("");

function sourceOf(value: Value): string {
  if (value instanceof Html) return value.source;
  if (typeof value === "object") return value.map((each) => each.source).join("");
  return escapeHtml(String(value));
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
