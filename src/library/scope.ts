import { normalize } from "node:path";
import { HAS, ORIGINS } from "../query/filter.ts";
import { arrayOf, type Checks, flag, oneOf, options, path, someText, time } from "./asked.ts";

/** What all questions about many sessions take. */
export const SCOPE = {
  filter: options({
    project: path,
    since: time,
    until: time,
    model: someText,
    provider: someText,
    role: someText,
    type: someText,
    tool: someText,
    label: someText,
    named: flag,
    has: oneOf(HAS),
    origin: oneOf(ORIGINS),
  }),
  roots: arrayOf(path),
} satisfies Checks;

/** Options with their roots as paths stand in the index: without `..` and doubled separators. */
export function normalized<Options extends { roots?: string[] }>(options: Options): Options {
  return options.roots === undefined ? options : { ...options, roots: rootsOf(options.roots) };
}

/** The same of roots alone. */
export function rootsOf(roots: readonly string[]): string[] {
  return roots.map((root) => normalize(root));
}
