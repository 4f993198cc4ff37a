import { normalize } from "node:path";
import { type Filter, HAS, ORIGINS, type TouchFilter } from "../query/filter.ts";
import { arrayOf, type Check, type Checks, flag, oneOf, options, path, someText, time } from "./asked.ts";

const TOUCH_FILTER = {
  project: path,
  since: time,
  until: time,
  named: flag,
  origin: oneOf(ORIGINS),
} satisfies Record<keyof TouchFilter, Check>;

const FILTER = {
  ...TOUCH_FILTER,
  model: someText,
  provider: someText,
  role: someText,
  type: someText,
  tool: someText,
  label: someText,
  has: oneOf(HAS),
} satisfies Record<keyof Filter, Check>;

/** The options of all questions about many sessions. */
export const SCOPE = {
  filter: options(FILTER),
  roots: arrayOf(path),
} satisfies Checks;

/** The options of a question about calls of tools. */
export const TOUCH_SCOPE = { ...SCOPE, filter: options(TOUCH_FILTER) } satisfies Checks;

/** Options with their roots in the form of paths in the index: without `..` and doubled separators. */
export function normalized<Options extends { roots?: string[] }>(options: Options): Options {
  return options.roots === undefined ? options : { ...options, roots: rootsOf(options.roots) };
}

/** The same for roots alone. */
export function rootsOf(roots: readonly string[]): string[] {
  return roots.map((root) => normalize(root));
}
