import { fc } from "./drawn.ts";

/** How a program writes JSON. */
export interface JsonStyle {
  /** White space after commas and colons. */
  space: "" | " " | "  ";
  /** Which characters are written by number: those that have to be, all non-ASCII ones, or all. */
  escapes: "needed" | "foreign" | "all";
  /** Whether all fields of an object are written a second time, after the first. */
  twice: boolean;
}

/** Draws a style, most often that of pi. */
export const jsonStyle: fc.Arbitrary<JsonStyle> = fc.record({
  space: fc.oneof(
    { weight: 3, arbitrary: fc.constant("" as const) },
    fc.constantFrom("" as const, " ", "  "),
  ),
  escapes: fc.oneof(
    { weight: 3, arbitrary: fc.constant("needed" as const) },
    fc.constantFrom("needed" as const, "foreign", "all"),
  ),
  twice: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
});

/** A JSON value as a program with this style would write it. */
export function written(value: unknown, style: JsonStyle): string {
  if (typeof value === "string") return writtenText(value, style);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((each) => written(each, style)).join(`,${style.space}`)}]`;
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `${writtenText(name, style)}:${style.space}${written(each, style)}`);
  return `{${[...fields, ...(style.twice ? fields : [])].join(`,${style.space}`)}}`;
}

function writtenText(text: string, { escapes }: JsonStyle): string {
  const quoted = JSON.stringify(text);
  if (escapes === "needed") return quoted;
  if (escapes === "foreign") return quoted.replace(/[^\0-\x7f]/g, byNumber);
  return `"${text.replace(/[\s\S]/g, byNumber)}"`;
}

function byNumber(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
