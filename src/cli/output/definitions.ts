import { oneLine } from "../../text/sanitise.ts";
import { pad, widthOf } from "../../text/width.ts";
import { formatSnippet } from "./snippet.ts";

export interface Definition {
  /** The words that are explained, one for each column. */
  terms: readonly string[];
  about: string;
}

const GAP = "  ";
/** In columns: where there is less room beside the terms, the sentence stands below them. */
const LEAST_ABOUT = 20;

/**
 * Terms in columns, each row with a sentence; a sentence that does not fit is wrapped, never cut off. `paints`: one for
 * each column, the last for the sentences.
 */
export function formatDefinitions(
  definitions: readonly Definition[],
  options: { width: number | undefined; paints: readonly ((term: string) => string)[] },
): string[] {
  const columns = Math.max(0, ...definitions.map(({ terms }) => terms.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...definitions.map(({ terms }) => widthOf(oneLine(terms[column] ?? "")))),
  );
  const beside = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const isBelow = options.width !== undefined && options.width - beside < LEAST_ABOUT;
  // So narrow that terms are not aligned.
  const isTight = options.width !== undefined && options.width < beside - GAP.length;
  const indent = isBelow ? GAP.length : beside;
  const room = options.width === undefined ? undefined : options.width - indent;
  const paintAbout = options.paints[columns] ?? String;
  return definitions.flatMap(({ terms, about }) => {
    const head = widths.map((width, column) => {
      const paint = options.paints[column] ?? String;
      return paint(pad(oneLine(terms[column] ?? ""), isTight ? 0 : width));
    });
    const lines = formatSnippet(about, [], { width: room, mark: String }).map(paintAbout);
    const below = lines.map((line) => " ".repeat(indent) + line);
    if (isBelow) return [head.join(GAP), ...below];
    return [[...head, lines[0] ?? ""].join(GAP), ...below.slice(1)];
  });
}
